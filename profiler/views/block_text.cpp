#include "profiler/views/block_text.hpp"

#include "sessions/views/format.hpp"

namespace tilescope {

std::string block_place_words(std::uint64_t block, const std::array<std::uint64_t, 3>& grid) {
  const std::uint64_t row = block / grid[0];
  return "of " + format_count(static_cast<std::int64_t>(grid[0] * grid[1] * grid[2])) + ": x " +
         std::to_string(block % grid[0]) + ", y " + std::to_string(row % grid[1]) + ", z " +
         std::to_string(row / grid[1]);
}

std::vector<std::string> window_notes(const RecordedWindow& window) {
  std::vector<std::string> notes;
  if (window.truncated) {
    notes.push_back("Only the first " + format_count(static_cast<std::int64_t>(window.accesses.size())) +
                    " of " + format_count(static_cast<std::int64_t>(window.matching)) +
                    " accesses of this block are shown. A smaller shape makes fewer.");
  }
  for (const Finding& finding : window.findings) notes.push_back("The block ended early: " + finding.text);
  return notes;
}

}  // namespace tilescope
