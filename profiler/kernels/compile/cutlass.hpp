#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilescope {

/// CUTLASS was not found: the message says what was looked for, where, and what to do.
class CutlassUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The headers of CUTLASS, for a kernel that includes them.
struct Cutlass {
  /// "CUTLASS 4.2.0"
  std::string version;
  /// The options that the compiler needs for them.
  std::vector<std::string> options;
};

/// Finds CUTLASS in the downloaded packages, and CUDA's C++ standard library there or beside `toolkit_headers`, the
/// headers of the NVRTC that compiles. Throws CutlassUnavailable.
Cutlass find_cutlass(const std::filesystem::path& dependencies, const std::filesystem::path& toolkit_headers);

/// Finds CUTLASS for nvcc, which finds CUDA's C++ standard library by itself.
Cutlass find_cutlass_for_nvcc(const std::filesystem::path& dependencies);

}  // namespace tilescope
