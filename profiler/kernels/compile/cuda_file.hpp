#pragma once

#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/kernels/compile/compiler_output.hpp"
#include "profiler/kernels/compile/host_code.hpp"
#include "profiler/kernels/compile/nvcc.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"
#include "profiler/kernels/compile/stand_ins.hpp"

namespace tilescope {

/// An option that changes what a compiler writes, such as -o: what() names it and what to do.
class OptionRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A CUDA C++ file as it stands, with or without code for the host.
struct CudaSourceFile {
  /// Absolute. Where it is not there, or has other contents there, a copy is compiled, with this folder's headers.
  std::filesystem::path path;
  std::string contents;
  /// "sm_89"; "" for the PTX of compute_89 alone.
  std::string architecture;
  /// For the compiler, as nvcc takes them: "-I", "include", "-DN=4". Relative folders are from the file's folder.
  std::vector<std::string> options{};
  /// Functions, prototypes and variables of the host. NVRTC gets the file without them, and nvcc where the file includes
  /// PyTorch's headers, which are not there.
  std::vector<LineRange> host_lines{};
  /// Template kernels with their arguments, "scale<float>", that are to be compiled whether a launch names them or not.
  /// One whose arguments do not compile is left out, which the note says.
  std::vector<std::string> kernels{};
  /// Headers beside the file, without their host code, for NVRTC.
  HeaderTexts headers{};
  /// In which both compilers look for headers, behind the folders of the options. Absolute.
  std::vector<std::filesystem::path> header_folders{};
};

struct CudaFileCode {
  CompilerOutput output;
  /// "Compiled with nvcc 13.0 for sm_89."
  std::string note;
};

/// Where the compilers come from; both are looked for when they are needed.
struct CudaFileCompilers {
  /// Throws NvrtcUnavailable.
  std::function<const Nvrtc&()> nvrtc;
  NvccSearch nvcc;
};

/// Compiles with NVRTC: a file that has no code for the host as it stands; any other one without its host lines, with
/// small headers in the place of those that NVRTC does not have. What NVRTC does not compile is for nvcc, as it stands.
/// Throws CompileFailed, the sentence of which names the compiler, the line and for a missing header the option to give;
/// OptionRefused, NvrtcUnavailable and CompileCancelled.
CudaFileCode compile_cuda_file(const CudaSourceFile& file, const CudaFileCompilers& compilers,
                               const std::function<bool()>& cancelled = {});

/// Throws OptionRefused for an option that changes what the compiler writes or for which GPU, and for a second file.
void check_compiler_options(const std::vector<std::string>& options);

/// Whether errors about missing headers name the option that gives their folder.
enum class HeaderAdvice { given, omitted };

/// The first errors of a compiler's log, one a line; "" where it has none.
std::string compile_errors(const std::string& log, HeaderAdvice advice = HeaderAdvice::given);

/// The errors with the lines of the file itself where they quote them: nvcc quotes what its preprocessor made of a line.
std::string with_own_lines(const std::string& errors, const CudaSourceFile& file);

}  // namespace tilescope
