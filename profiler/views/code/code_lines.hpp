#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// The lines of a text as they are drawn: tabs are blanks, and carriage returns are left out.
std::vector<std::string> code_lines(const std::string& text);

}  // namespace tilescope
