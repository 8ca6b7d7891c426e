#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// NVRTC that cannot be had: the message says what was looked for, where, and what to install.
class NvrtcUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A source that does not compile. `what()` is the first error in a sentence, `log` all that the compiler
/// said.
class CompileFailed : public std::runtime_error {
 public:
  CompileFailed(const std::string& sentence, std::string compiler_log, std::string source_hash = "")
      : std::runtime_error(sentence), log(std::move(compiler_log)), source_sha256(std::move(source_hash)) {}
  std::string log;
  std::string source_sha256;  ///< Of the kernel's source; "" where it is not a kernel's file.
};

/// What one compilation gives.
struct NvrtcOutput {
  std::vector<char> cubin;
  std::string ptx;
  std::string log;  ///< Fetched before the status is judged, kept on success too.
};

/// Where NVRTC may lie.
struct NvrtcSearch {
  std::filesystem::path toolkit;       ///< TILESCOPE_CUDA: when set, nothing else is looked at.
  std::filesystem::path dependencies;  ///< The downloaded packages: cuda13/lib and cuda12/lib.
  /// The CUDA version that the driver here takes, {13, 0}. Machine code of a newer major version does not load there; that of
  /// a newer minor version does, while PTX would not: what is launched is always machine code.
  std::optional<std::pair<int, int>> driver_cuda;
};

/// The runtime compiler, opened when the program runs. NVRTC 12 and 13 have the calls used here in common.
class Nvrtc {
 public:
  /// The newest one that the driver can load code of. Throws NvrtcUnavailable.
  static Nvrtc open(const NvrtcSearch& search);

  /// "13.0"
  std::string version() const;
  int cuda_major() const { return major_; }  ///< 12, 13
  const std::filesystem::path& library() const { return library_; }
  /// Where the headers of this NVRTC's version lie, "" when there are none.
  const std::filesystem::path& toolkit_headers() const { return toolkit_headers_; }

  /// Compiles for the real architecture in `options`. Headers by their name in #include.
  /// Throws CompileFailed with the log.
  NvrtcOutput compile(const std::string& name, const std::string& source,
                      const std::vector<std::pair<std::string, std::string>>& headers,
                      const std::vector<std::string>& options) const;

 private:
  struct Calls;
  static std::optional<Nvrtc> try_open(const std::string& library, std::string& reason);
  std::shared_ptr<const Calls> calls_;
  std::filesystem::path library_;
  std::filesystem::path toolkit_headers_;
  int major_ = 0;
  int minor_ = 0;
};

/// The oldest Linux driver of a CUDA major version, "580" for 13: what to ask for when the driver is too old.
/// Source: CUDA Toolkit release notes, table "CUDA Toolkit and minimum required driver version for CUDA minor
/// version compatibility".
std::string minimum_driver_for_cuda(int major);

}  // namespace tilescope
