#pragma once

#include <string>
#include <vector>

#include "profiler/views/code/linked_listing.hpp"

namespace tilescope {

/// Which lines of a text hold nothing that runs: comments of CUDA, comments and directives of PTX, NOPs of the machine
/// code. They are drawn quietly. A line with code behind or before a comment is none.
std::vector<bool> quiet_lines(CodeColumn column, const std::vector<std::string>& lines);

}  // namespace tilescope
