#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/compile/compiler_output.hpp"
#include "sessions/source_file.hpp"

namespace tilescope {

/// nvcc was not found or does not work here: the message says what was looked for, where, and what to do.
class NvccUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where to look for nvcc, in this order; at last in /usr/local/cuda/bin, unless a toolkit is named.
struct NvccSearch {
  /// TILESCOPE_CUDA: its folder bin; "" when not set.
  std::filesystem::path toolkit;
  /// PATH
  std::string path;
  /// The CUDA version that this machine's driver supports, {13, 0}: code of a newer major version does not load.
  std::optional<std::pair<int, int>> driver_cuda;
};

/// The compiler of the CUDA Toolkit, a program that is run for every kernel.
class Nvcc {
 public:
  /// The first one that runs. Throws NvccUnavailable.
  static Nvcc find(const NvccSearch& search);

  const std::filesystem::path& program() const { return program_; }
  /// "13.0"
  std::string version() const;
  /// "13.0.88"
  const std::string& full_version() const { return full_version_; }
  /// The variables with which nvcc takes options of the user's, as NAME=VALUE: they can change the code.
  static std::vector<std::string> options_from_environment();

  /// Compiles a copy of the source with options that are NVRTC's: a real architecture ("sm_89"), line information, and
  /// the output of ptxas in the log. Lines refer to the source's own files, by their names in it. Throws CompileFailed
  /// with the log, NvccUnavailable where nvcc says that it cannot compile here, and CompileCancelled soon after
  /// `cancelled` said so.
  CompilerOutput compile(const SourceFile& source, const std::vector<std::string>& options,
                         const std::function<bool()>& cancelled = {}) const;

 private:
  Nvcc(std::filesystem::path program, std::string full_version)
      : program_(std::move(program)), full_version_(std::move(full_version)) {}

  /// One run, in the folder `where` of a source's folders. Adds to the log, also where it fails.
  void run(const std::vector<std::string>& arguments, const class SourceFolder& source,
           const std::filesystem::path& where, const std::function<bool()>& cancelled,
           std::string& log) const;

  std::filesystem::path program_;
  std::string full_version_;
};

}  // namespace tilescope
