#pragma once

#include <string>
#include <string_view>

namespace tilescope {

/// A text from outside the program as a terminal, a table or a page may show it. Characters that act instead of being
/// seen become escapes: control characters ("\x1b", "\u009b"), marks that change the direction of text ("\u202e"),
/// bytes that are not UTF-8 ("\xff"), and code points that are not characters ("\ufffe"), which XML forbids. Line
/// breaks and tabs stay; "\r\n" becomes "\n". Escaping twice changes nothing.
std::string visible_text(std::string_view text);

/// visible_text() for a name, which is one line: line breaks and tabs become "\n", "\r" and "\t".
std::string visible_line(std::string_view text);

/// A document of JSON with the characters that act written as JSON's escapes: its writer has escaped the ASCII ones,
/// and this escapes the others and DEL.
std::string visible_json(std::string_view json);

}  // namespace tilescope
