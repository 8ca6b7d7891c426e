#pragma once

#include <memory>
#include <string>
#include <vector>

#include "profiler/measure/files/input_file.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

class CudaSource;
struct SourceTree;

/// Code of a file in a form that is executed.
struct FileCode {
  std::string contents;
  /// ptx or cubin.
  InputFile form = InputFile::ptx;
  /// How it was compiled; "" for a file that was compiled already.
  std::string note;
  /// CUDA C++ of the file, and of the headers beside it.
  std::vector<std::shared_ptr<const CudaSource>> sources;
};

/// The contents of a PTX file or a cubin, or CUDA C++ compiled with NVRTC or nvcc (compile/cuda_file.hpp), with code for
/// the host or without: a cubin for `architecture` ("sm_89"), or for "" PTX of compute_89. `options` are for the
/// compiler ("-I", "include"). Throws UnusableFile, CompileCancelled and NvrtcUnavailable.
FileCode code_of_file(Workbench& bench, const SentFile& file, const std::string& architecture,
                      const MeasureControl& control, const std::vector<std::string>& options = {});

/// CUDA C++ with the headers beside it. `options`: as of code_of_file(), whose folders (-I) are looked in, too.
SourceTree source_tree_of(const SentFile& file, std::string contents,
                          const std::vector<std::string>& options);

/// Compiles as code_of_file() does, and throws as it does. `first`: kernels whose instances go before others.
FileCode compiled_code(Workbench& bench, const SentFile& file, const SourceTree& tree,
                       const std::string& architecture, const MeasureControl& control,
                       const std::vector<std::string>& options, const std::vector<std::string>& first = {});

}  // namespace tilescope
