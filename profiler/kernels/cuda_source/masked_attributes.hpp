#pragma once

#include <string>

namespace tilescope {

/// Overwrites by spaces the attributes of kernels, types and parameters that the grammar lacks, such as
/// __cluster_dims__(2, 1, 1) and __align__(16), so that they do not break the declarations in which they stand, and
/// moves the backslash of a joined line to its end, and writes the brackets of a launch without blanks between them. So are an #ifdef and its #endif around a branch "else if" of an if.
/// Other bytes and the lines keep their positions.
void mask_attributes(std::string& text);

}  // namespace tilescope
