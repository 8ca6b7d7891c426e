#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/execution/simt/program.hpp"

/// Numbers of lanes, rows and addresses in sentences.
namespace tilescope {

/// "5", "0 and 16", "0 to 7", "0, 4, 8 ... 28", in the order given; digits in groups of three.
std::string number_list(const std::vector<std::int64_t>& numbers);
/// "row 5", "rows 0 to 7".
std::string counted_list(const std::string& noun, const std::vector<std::int64_t>& numbers);
/// "lane 5", "lanes 0 to 7" of a mask.
std::string lane_list(simt::LaneMask lanes);
std::vector<std::int64_t> lanes_in(simt::LaneMask lanes);
/// "1 lane", "8 lanes".
std::string counted_noun(std::int64_t count, const std::string& noun);

}  // namespace tilescope
