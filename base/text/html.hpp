#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// A text as HTML and SVG show it, between tags or in an attribute in double quotes. Control characters are left out.
std::string html_escaped(std::string_view text);

}  // namespace tilescope
