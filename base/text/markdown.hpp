#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// A text as Markdown shows it: characters that Markdown or the HTML in it would read are escaped, control characters
/// become visible_text(), and line breaks and tabs become spaces.
std::string markdown_escaped(const std::string& text);

/// A text as code in a line, which backticks in it do not end.
std::string markdown_code(const std::string& text);

/// A row of a table in Markdown, its cells escaped.
std::string markdown_row(const std::vector<std::string>& cells);

/// The rule under the header: numbers are aligned to the right.
std::string markdown_rule(const std::vector<bool>& is_number);

/// A table whose first column is aligned to the left, the others to the right.
std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace tilescope
