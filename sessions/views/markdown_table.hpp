#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// A row of a table in Markdown. Pipes in cells are escaped.
std::string markdown_row(const std::vector<std::string>& cells);

/// A table whose first column is aligned to the left, the others to the right.
std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows);

}  // namespace tilescope
