#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// The escape sequence of a colour ("32", "0" for none), marked so that shown_text() distinguishes it from
/// one in data.
std::string own_color(const char* number);

/// Text for a terminal: visible_text(), in which only own_color() stays an escape sequence.
std::string shown_text(std::string_view text);

/// A text of several lines before it is wrapped: visible_text(), in which own_color() keeps its mark.
std::string shown_prose(std::string_view text);

/// A cell or another text of one line: visible_line(), in which own_color() keeps its mark.
std::string shown_line(std::string_view text);

}  // namespace tilescope
