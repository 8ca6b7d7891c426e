#include "profiler/views/step/tiles_view.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"

namespace tilescope {

namespace {

double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

std::string bytes_words(double bytes) {
  return format_short_bytes(static_cast<std::int64_t>(bytes));
}

std::string progress_words(const StepStop& stop, const StepTimeline* timeline) {
  const StepProgress& progress = stop.progress;
  const std::string of =
      timeline == nullptr || timeline->tiles.empty() ? "" : " of " + std::to_string(timeline->tiles.size());
  if (progress.tile == 0)
    return timeline == nullptr || timeline->tiles.empty() ? "No tile" : "Before tile 1" + of;
  std::string words = "Tile " + std::to_string(progress.tile) + of;
  if (progress.first_key >= 0) words += ", " + range_words("key", {progress.first_key, progress.keys});
  if (stop.slot >= stop.slots) words += "; the block has ended";
  return words;
}

std::vector<TextPair> figures_of(const TileTraffic& traffic) {
  std::vector<TextPair> figures = {
      {"Read from global memory", bytes_words(static_cast<double>(traffic.read_bytes))},
      {"Written to global memory", bytes_words(static_cast<double>(traffic.written_bytes))},
      {"Work of tiles done", fmt::format("{} FLOP", format_short(static_cast<std::int64_t>(traffic.flop)))}};
  if (traffic.flop <= 0) return figures;
  figures.emplace_back("Arithmetic intensity",
                       fmt::format("{} FLOP/B", format_number(traffic.intensity(), 1)));
  figures.emplace_back("Unfused, bytes", bytes_words(traffic.unfused_bytes));
  figures.emplace_back("Unfused, intensity",
                       fmt::format("{} FLOP/B", format_number(traffic.unfused_intensity(), 1)));
  return figures;
}

const char* state_id(TileCell::State state) {
  switch (state) {
    case TileCell::State::done:
      return "done";
    case TileCell::State::now:
      return "now";
    case TileCell::State::comes_again:
      return "comes_again";
    case TileCell::State::not_yet:
      return "not_yet";
    case TileCell::State::skipped:
      return "skipped";
    case TileCell::State::unvisited:
      return "unvisited";
    case TileCell::State::unknown:
      break;
  }
  return "unknown";
}

}  // namespace

double TileTraffic::intensity() const {
  return ratio(flop, static_cast<double>(read_bytes) + static_cast<double>(written_bytes));
}

double TileTraffic::unfused_intensity() const {
  return ratio(flop, unfused_bytes);
}

namespace {

// Keys of done tiles whose rows of V were accumulated, too: a kernel may compute all scores first. Estimated by the
// share of that phase's instructions that were issued.
std::int64_t accumulated_keys(const StepStop& stop, const StepTimeline* timeline, const TilesPlane& plane) {
  if (timeline == nullptr || timeline->tiles.size() > plane.keys.size()) return plane.done_keys;
  std::uint64_t all = 0, before = 0;
  for (const std::string& cells : timeline->warps) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i] != 'a') continue;
      ++all;
      before += timeline->first_round + i * timeline->rounds_per_cell < stop.round ? 1 : 0;
    }
  }
  if (all == 0 || stop.slot >= stop.slots) return plane.done_keys;
  // A cell stands for several instructions: nearly all of a tile's are all of them.
  constexpr double nearly = 0.1;
  const double tiles =
      static_cast<double>(before) / static_cast<double>(all) * static_cast<double>(timeline->tiles.size());
  const auto whole = static_cast<std::int64_t>(tiles + nearly);
  return std::min(plane.done_keys, whole * plane.keys.front().count);
}

}  // namespace

TileTraffic tile_traffic(const TilesSubject& subject, const StepStop& stop, const StepTimeline* timeline,
                         const TilesPlane& plane) {
  TileTraffic traffic;
  traffic.read_bytes = stop.progress.global_read_bytes;
  traffic.written_bytes = stop.progress.global_written_bytes;
  if (!plane.row) return traffic;
  traffic.rows = plane.rows[*plane.row].count;
  traffic.keys = plane.done_keys;
  if (traffic.keys == 0) return traffic;
  const auto rows = static_cast<double>(traffic.rows), keys = static_cast<double>(traffic.keys);
  const auto depth = static_cast<double>(subject.shape.D);
  const auto accumulated = static_cast<double>(accumulated_keys(stop, timeline, plane));
  traffic.flop = 2 * rows * (keys + accumulated) * depth;
  const auto element = static_cast<double>(element_bytes(subject.shape.dtype));
  traffic.unfused_bytes = element * (rows * depth + 2 * keys * depth + 4 * rows * keys);
  if (plane.is_finished) traffic.unfused_bytes += element * rows * depth;
  return traffic;
}

TilesView tiles_view(const TilesSubject& subject, const StepStop& stop, const StepTimeline* timeline) {
  TilesView view;
  view.plane = tiles_plane(subject, stop, timeline);
  view.held = held_ranges(stop, view.plane.keys.empty() ? 0 : view.plane.keys.front().count);
  view.lines = held_lines(view.held);
  view.traffic = tile_traffic(subject, stop, timeline, view.plane);
  view.progress = progress_words(stop, timeline);
  view.figures = figures_of(view.traffic);
  return view;
}

std::string tiles_csv(const TilesView& view) {
  std::string csv = "kind,first_row,rows,first_key,keys,state,tile,stage\n";
  const TilesPlane& plane = view.plane;
  for (std::size_t i = 0; plane.row && i < plane.keys.size(); ++i) {
    csv += fmt::format("S,{},{},{},{},{},,\n", plane.rows[*plane.row].first, plane.rows[*plane.row].count,
                       plane.keys[i].first, plane.keys[i].count, state_id(plane.at(*plane.row, i).state));
  }
  for (const HeldRange& range : view.held) {
    const bool is_tensor = range.kind == HeldRange::Kind::tensor;
    const char* const state = is_tensor                                  ? "held"
                              : range.kind == HeldRange::Kind::unwritten ? "unwritten"
                                                                         : "other";
    csv += fmt::format("{},{},{},,,{},\"{}\",{}\n", range.tensor,
                       is_tensor ? std::to_string(range.rows.first) : "",
                       is_tensor ? std::to_string(range.rows.count) : "", state, range.tile,
                       range.stage < 0 ? "" : std::to_string(range.stage));
  }
  return csv;
}

}  // namespace tilescope
