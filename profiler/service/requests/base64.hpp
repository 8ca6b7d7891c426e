#pragma once

#include <string>
#include <string_view>

#include "base/json_values.hpp"

namespace tilescope {

/// Bytes as text of RFC 4648, with padding, for documents that carry a binary file.
std::string to_base64(std::string_view bytes);
/// Reads text that to_base64() wrote. Throws std::invalid_argument for any other.
std::string from_base64(std::string_view text);

/// A member whose bytes are written as such a text.
extern const Form<std::string> base64_form;

}  // namespace tilescope
