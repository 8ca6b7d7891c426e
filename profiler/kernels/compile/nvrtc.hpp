#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/compile/compiler_output.hpp"

namespace tilescope {

/// NVRTC was not found: the message says what was looked for, where, and what to install.
class NvrtcUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where to look for NVRTC.
struct NvrtcSearch {
  /// TILESCOPE_CUDA: when set, no other place is searched.
  std::filesystem::path toolkit;
  /// The downloaded packages: cuda13/lib and cuda12/lib.
  std::filesystem::path dependencies;
  /// The CUDA version that this machine's driver supports, {13, 0}. Machine code of a newer major version does not
  /// load; of a newer minor version it does, while PTX would not. Only machine code is ever launched.
  std::optional<std::pair<int, int>> driver_cuda;
};

/// The runtime compiler, opened at run time. NVRTC 12 and 13 both have the calls used here.
class Nvrtc {
 public:
  /// Opens the newest version whose code the driver can load. Throws NvrtcUnavailable.
  static Nvrtc open(const NvrtcSearch& search);

  /// "13.0"
  std::string version() const;
  /// 12, 13
  int cuda_major() const { return major_; }
  /// Whether it takes the option --minimal.
  bool has_minimal_language() const { return std::pair(major_, minor_) >= std::pair(12, 4); }
  const std::filesystem::path& library() const { return library_; }
  /// The folder with the headers of this NVRTC's version, "" when there is none.
  const std::filesystem::path& toolkit_headers() const { return toolkit_headers_; }

  /// Compiles for the architecture in `options`: a real one ("sm_89"), or a virtual one ("compute_89"), for
  /// which there is only PTX. `headers` are found by their name in #include. Throws CompileFailed with the
  /// log, and CompileCancelled some time after `cancelled` said so: NVRTC asks for it between its steps,
  /// which take milliseconds for most kernels and seconds for one with many templates or much unrolled code
  /// (an NVRTC without this callback finishes first). `instances`: templates of kernels that nothing in the source
  /// instantiates, "scale<float, 4>".
  CompilerOutput compile(const std::string& name, const std::string& source,
                         const std::vector<std::pair<std::string, std::string>>& headers,
                         const std::vector<std::string>& options, const std::function<bool()>& cancelled = {},
                         const std::vector<std::string>& instances = {}) const;

  /// Compiles as compile() in a process of its own, for code of unknown origin: NVRTC 13.0 ends by a signal on some code
  /// with errors, which is then CompileFailed. Cancelling takes effect at once.
  CompilerOutput compile_apart(const std::string& name, const std::string& source,
                               const std::vector<std::pair<std::string, std::string>>& headers,
                               const std::vector<std::string>& options,
                               const std::function<bool()>& cancelled = {},
                               const std::vector<std::string>& instances = {}) const;

 private:
  struct Calls;
  static std::optional<Nvrtc> try_open(const std::string& library, std::string& reason);
  std::shared_ptr<const Calls> calls_;
  std::filesystem::path library_;
  std::filesystem::path toolkit_headers_;
  int major_ = 0;
  int minor_ = 0;
};

/// The oldest Linux driver of a CUDA major version, "580" for 13, for messages about a driver that is too old. Source:
/// CUDA Toolkit release notes, table "CUDA Toolkit and minimum required driver version for CUDA minor version
/// compatibility".
std::string minimum_driver_for_cuda(int major);

}  // namespace tilescope
