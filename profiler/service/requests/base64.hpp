#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// Bytes as text of RFC 4648, with padding, for documents that carry a binary file.
std::string to_base64(std::string_view bytes);
/// Reads text that to_base64() wrote. Throws std::invalid_argument for any other.
std::string from_base64(std::string_view text);

}  // namespace tilescope
