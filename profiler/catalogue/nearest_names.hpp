#pragma once

#include <string>
#include <vector>

namespace tilescope {

/// The candidates nearest to `name` by edit distance, nearest first, as "'a', 'b' or 'c'".
std::string nearest_names(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace tilescope
