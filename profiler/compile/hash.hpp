#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// The SHA-256 of some bytes, as 64 hexadecimal digits.
std::string sha256(std::string_view bytes);

}  // namespace tilescope
