#include "app/commands/step_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/text_table.hpp"
#include "base/text/format.hpp"
#include "profiler/views/step/shared_contents.hpp"

namespace tilescope {
namespace {

std::string count_words(std::uint64_t count) {
  return format_count(static_cast<std::int64_t>(count));
}

using Align = TextTable::Align;

std::string place_of(const WarpStop& warp) {
  std::string text =
      warp.line > 0 ? fmt::format("line {}", warp.line) : fmt::format("PTX line {}", warp.ptx_line);
  if (!warp.inlined.empty()) text += ", " + warp.inlined;
  return text;
}

std::string state_of(const WarpStop& warp) {
  if (warp.state == "at_barrier") return fmt::format("waits at barrier {}", warp.barrier);
  if (warp.state == "waits_for_lanes") return "waits for lanes";
  return warp.state;
}

std::string warps_text(const StepStop& stop) {
  TextTable table;
  table.add_column("warp", Align::right);
  table.add_column("state", Align::left);
  table.add_column("issued", Align::right);
  table.add_column("phase", Align::left);
  table.add_column("place", Align::left);
  table.add_column("next instruction", Align::left);
  for (std::size_t w = 0; w < stop.warps.size(); ++w) {
    const WarpStop& warp = stop.warps[w];
    const bool has_ended = warp.state == "ended";
    table.add_row({std::to_string(w), state_of(warp), count_words(warp.issued), has_ended ? "" : warp.phase,
                   has_ended ? "" : place_of(warp), warp.instruction});
  }
  return table.text(2);
}

std::string numbers(const std::vector<std::int64_t>& list) {
  std::string text;
  for (const std::int64_t number : list) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text.empty() ? "none" : text;
}

std::string values_text(const TileStop& tile) {
  std::string text = fmt::format("\n{} ({} rows of {}):\n", tile.name, tile.rows.size(), tile.columns);
  const auto columns = static_cast<std::size_t>(tile.columns);
  constexpr std::size_t most = 12;
  for (std::size_t row = 0; row < tile.rows.size(); ++row) {
    text += fmt::format("  {:4} {:10}", row, row_words(tile.rows[row]));
    for (std::size_t column = 0; column < std::min(columns, most); ++column)
      text += fmt::format(" {:8.3f}", tile.values[row * columns + column]);
    text += columns > most ? " ...\n" : "\n";
  }
  return text;
}

}  // namespace

std::string stop_text(const StepStop& stop, const StepView& view) {
  std::string text = fmt::format(
      "Slot {} of {}, round {} of {}. The PTX is interpreted; warps take turns, so slots are an order, not a "
      "time.\n",
      count_words(stop.slot), count_words(stop.slots), count_words(stop.round), count_words(stop.rounds));
  const StepProgress& progress = stop.progress;
  text += fmt::format("Tile {}", progress.tile);
  if (progress.first_key >= 0)
    text += fmt::format(" (keys {} to {})", progress.first_key, progress.first_key + progress.keys - 1);
  text += fmt::format(", {} barriers passed, {} B read from and {} B written to global memory.\n\n",
                      progress.barriers, count_words(progress.global_read_bytes),
                      count_words(progress.global_written_bytes));
  text += warps_text(stop);
  for (const BarrierStop& barrier : stop.barriers) {
    text += fmt::format("\nBarrier {}: {} of {} threads have arrived; warps {} wait for warps {}.\n",
                        barrier.number, barrier.arrived, barrier.expected, numbers(barrier.waiting_warps),
                        numbers(barrier.missing_warps));
  }
  for (const MbarrierStop& barrier : stop.mbarriers) {
    text += fmt::format("\nmbarrier at byte {}: phase {}, {} of {} arrivals missing, {} B missing.\n",
                        barrier.offset, barrier.phase, barrier.pending, barrier.expected,
                        barrier.transaction_bytes);
  }
  if (!stop.tiles.empty()) text += "\nShared memory:\n";
  for (const TileStop& tile : stop.tiles)
    text += fmt::format("  {:12} {}\n", tile.name,
                        tile.rows.empty() ? "no layout declared" : contents_words(tile));
  for (const TileStop& tile : stop.tiles) {
    if (!tile.values.empty()) text += values_text(tile);
  }
  if (view.lane) text += fmt::format("\nRegisters of warp {}, lane {}:\n", view.warp, *view.lane);
  for (const RegisterStop& one : stop.registers)
    text += fmt::format("  {:8} {:6} {}\n", one.name, one.type, one.value);
  for (const Finding& finding : stop.findings) text += "\nThe block ends in a fault: " + finding.text + "\n";
  if (!stop.cut_off.empty()) text += "\nStepping covers the first part: " + stop.cut_off + ".\n";
  if (stop.is_thinned)
    text += fmt::format("\nSnapshots were thinned out to one in {} slots.\n",
                        count_words(stop.snapshot_interval));
  return text;
}

std::string timeline_text(const StepTimeline& timeline) {
  std::string text = fmt::format(
      "\nWhat each warp does, {} rounds a letter (l load, c scores, m softmax, a accumulate, s store, o "
      "other, w waits):\n",
      count_words(timeline.rounds_per_cell));
  for (std::size_t w = 0; w < timeline.warps.size(); ++w)
    text += fmt::format("  {:2} {}\n", w, timeline.warps[w]);
  return text;
}

std::string row_text(const StepRowHistory& row, std::uint64_t slot) {
  if (!row.missing.empty()) return "\n" + row.missing + "\n";
  std::string text = fmt::format("\nRow {}", row.row);
  text += row.worst_row < 0 ? "; the block writes no output of these rows, another one does:\n"
                            : fmt::format("; the largest error of the block is {:.3g}, in row {}:\n",
                                          row.worst_error, row.worst_row);
  TextTable table;
  for (const char* name : {"warp", "keys", "m", "l", "rescale", "exact m", "exact l", "error"})
    table.add_column(name, Align::right);
  for (const RowPart& part : row.parts) {
    for (const RowTile& tile : part.tiles) {
      if (tile.slot > slot) continue;
      const auto number = [](double value) { return std::isnan(value) ? "-" : fmt::format("{:.6g}", value); };
      table.add_row({std::to_string(part.warp),
                     fmt::format("{} to {}", tile.first_key, tile.first_key + tile.keys - 1), number(tile.m),
                     number(tile.l), number(tile.rescale), number(tile.exact_m), number(tile.exact_l),
                     number(tile.error)});
    }
  }
  return text + table.text(2);
}

}  // namespace tilescope
