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

/// Where to look for nvcc, in this order; then in /usr/local/cuda/bin, unless a toolkit is named, and at last in the
/// downloads.
struct NvccSearch {
  /// TILESCOPE_CUDA: its folder bin; "" when not set.
  std::filesystem::path toolkit;
  /// PATH
  std::string path;
  /// The CUDA version that this machine's driver supports, {13, 0}: code of a newer major version does not load.
  std::optional<std::pair<int, int>> driver_cuda;
  /// The downloaded packages: nvcc/bin, which `./tilescope setup --nvcc` fetches; "" for none.
  std::filesystem::path dependencies{};
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

  /// Compiles a file where it lies, so that it finds the headers beside it; nothing is written there. Files of its
  /// folder have their names in it, others their paths. For a virtual architecture ("compute_89") there is only PTX.
  /// Throws as compile().
  CompilerOutput compile_in_place(const std::filesystem::path& file, const std::vector<std::string>& options,
                                  const std::function<bool()>& cancelled = {}) const;

 private:
  Nvcc(std::filesystem::path program, std::string full_version)
      : program_(std::move(program)), full_version_(std::move(full_version)) {}

  /// Folders of one compilation.
  struct Place {
    /// In which it runs.
    std::filesystem::path folder;
    /// For its temporary files.
    std::filesystem::path scratch;
    /// Its output as it is shown.
    std::function<std::string(std::string)> shown;
  };
  /// Adds to the log, also where it fails.
  void run(const std::vector<std::string>& arguments, const Place& place,
           const std::function<bool()>& cancelled, std::string& log) const;

  std::filesystem::path program_;
  std::string full_version_;
};

}  // namespace tilescope
