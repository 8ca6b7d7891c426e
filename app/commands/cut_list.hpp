#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tilescope {

/// Entries of a list that a terminal gets: --json has all of them.
inline constexpr std::size_t most_listed = 20;

/// The first entries, each with two blanks in front and wrapped, then "... and 39,980 more kernels". `what` names
/// several.
std::string cut_list(const std::vector<std::string>& entries, const std::string& what);

}  // namespace tilescope
