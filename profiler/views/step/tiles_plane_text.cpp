#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/views/memory/number_lists.hpp"
#include "profiler/views/step/tiles_plane.hpp"

namespace tilescope {

std::string range_words(const std::string& noun, IndexRange range) {
  if (range.count == 1) return noun + " " + format_count(range.first);
  return fmt::format("{}s {} to {}", noun, format_count(range.first), format_count(range.last()));
}

std::string state_words(TileCell::State state) {
  switch (state) {
    case TileCell::State::done:
      return "Done";
    case TileCell::State::now:
      return "Now";
    case TileCell::State::comes_again:
      return "Visited, comes again";
    case TileCell::State::not_yet:
      return "Not yet";
    case TileCell::State::skipped:
      return "Skipped: the causal mask hides it";
    case TileCell::State::unvisited:
      return "Never begun by this block";
    case TileCell::State::unknown:
      break;
  }
  return "Not known";
}

std::vector<std::string> cell_words(const TilesPlane& plane, std::size_t row, std::size_t key) {
  const TileCell& cell = plane.at(row, key);
  std::vector<std::string> lines = {
      capitalised(range_words("query row", plane.rows[row])) + ", " + range_words("key", plane.keys[key]),
      state_words(cell.state)};
  if (cell.is_assumed) lines.back() += ", assumed";
  if (cell.is_on_edge) lines.emplace_back("The causal mask hides a part of it");
  if (!cell.visits.empty()) lines.push_back(capitalised(counted_list("tile", cell.visits)) + " of the block");
  if (plane.row != row && plane.blocks[row])
    lines.push_back("Block " + format_count(static_cast<std::int64_t>(*plane.blocks[row])));
  return lines;
}

std::string cell_hint(const TilesPlane& plane, std::size_t row, std::size_t key) {
  if (plane.row == row)
    return plane.at(row, key).visits.empty() ? "" : "Click to move the play head to where the tile begins.";
  return plane.blocks[row] ? "Click to step this block." : "";
}

std::int64_t tile_to_go_to(const TileCell& cell, std::int64_t newest) {
  const auto next = std::upper_bound(cell.visits.begin(), cell.visits.end(), newest);
  if (next != cell.visits.end()) return *next;
  return cell.visits.empty() ? 0 : cell.visits.front();
}

}  // namespace tilescope
