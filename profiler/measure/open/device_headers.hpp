#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilescope {

/// Name of the header that the compiler is to include before the file: types and constants that nvcc and host headers
/// declare, and NVRTC does not.
inline constexpr const char* device_prelude = "tilescope_prelude.h";

/// Headers for NVRTC in the place of those of the host, which it does not have: of the C and C++ libraries the part that
/// libcu++ has for device code, of CUDA's host libraries and of PyTorch the types that kernels use. Each has its name in
/// #include and its text.
const std::vector<std::pair<std::string, std::string>>& device_headers();

}  // namespace tilescope
