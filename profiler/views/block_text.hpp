#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/memory/trace_window.hpp"

namespace tilescope {

/// "of 128: x 4, y 1, z 0", for the block with this linear index.
std::string block_place_words(std::uint64_t block, const std::array<std::uint64_t, 3>& grid);

/// Sentences on what the recorded window of a block lacks: accesses beyond its limit, and those after a fault.
std::vector<std::string> window_notes(const RecordedWindow& window);

}  // namespace tilescope
