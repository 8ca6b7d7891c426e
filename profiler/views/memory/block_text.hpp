#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace_window.hpp"

namespace tilescope {

/// "of 128: x 4, y 1, z 0", for the block with this linear index.
std::string block_place_words(std::uint64_t block, const std::array<std::uint64_t, 3>& grid);

/// Sentences on what the recorded window of a block lacks: accesses beyond its limit, and those after a fault.
std::vector<std::string> window_notes(const RecordedWindow& window);
/// Whether it lacks accesses that the block makes, or was to make.
bool is_cut_off(const RecordedWindow& window);

/// A heading and a sentence for an access that was chosen and that the window of a block does not have.
struct MissingAccess {
  std::string heading, text;
};
/// `site` is none where a line alone was chosen.
MissingAccess missing_access(const RecordedWindow& window, std::uint64_t block,
                             const std::optional<WindowSite>& site, std::uint32_t line);

}  // namespace tilescope
