#include "profiler/views/step/execution_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text/format.hpp"
#include "profiler/execution/memory/site_text.hpp"
#include "profiler/views/step/tiles_plane.hpp"

namespace tilescope {
namespace {

constexpr double fewest_rounds = 8;

std::string count(std::uint64_t number) {
  return format_count(static_cast<std::int64_t>(number));
}

std::string list_of(const std::vector<std::int64_t>& warps) {
  std::string text = warps.size() == 1 ? "warp " : "warps ";
  for (std::size_t i = 0; i < warps.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(warps[i]);
  return text;
}

RoundWindow clamped(RoundWindow window, std::uint64_t rounds) {
  const double all = std::max(static_cast<double>(rounds), 1.0);
  const double width = std::clamp(window.width(), std::min(fewest_rounds, all), all);
  window.first = std::clamp(window.first, 0.0, all - width);
  window.end = window.first + width;
  return window;
}

}  // namespace

const std::vector<PhaseLegend>& phase_legend() {
  static const std::vector<PhaseLegend> legend = {
      {'l', "load", "Copies Q, K and V from global to shared memory, or to registers"},
      {'c', "scores", "Computes scores: Q times K transposed"},
      {'m', "softmax", "Keeps the running maximum and sum, and turns scores into weights"},
      {'a', "accumulate", "Adds the weights times V to the output"},
      {'s', "store", "Divides by the sum and writes the output"},
      {'o', "other", "Addresses, loops and what belongs to no named phase"},
      {'w', "wait", "Waits at a barrier, or for lanes of its own warp"},
  };
  return legend;
}

std::string_view phase_name(char letter) {
  const auto found = std::ranges::find(phase_legend(), letter, &PhaseLegend::letter);
  return found == phase_legend().end() ? std::string_view() : found->name;
}

std::vector<std::vector<PhaseRun>> phase_runs(const StepTimeline& timeline) {
  std::vector<std::vector<PhaseRun>> warps;
  warps.reserve(timeline.warps.size());
  for (const std::string& letters : timeline.warps) {
    std::vector<PhaseRun>& runs = warps.emplace_back();
    for (std::size_t cell = 0; cell < letters.size(); ++cell) {
      if (letters[cell] == ' ') continue;
      const std::uint64_t first = timeline.first_round + cell * timeline.rounds_per_cell;
      const std::uint64_t end = std::min(first + timeline.rounds_per_cell, timeline.end_round);
      if (!runs.empty() && runs.back().letter == letters[cell] && runs.back().end == first) {
        runs.back().end = end;
      } else {
        runs.push_back({letters[cell], first, end});
      }
    }
  }
  return warps;
}

RoundWindow zoomed(const RoundWindow& window, double at, double factor, std::uint64_t rounds) {
  const double all = std::max(static_cast<double>(rounds), 1.0);
  const double width = std::clamp(window.width() * factor, std::min(fewest_rounds, all), all);
  const double share = window.width() > 0 ? (at - window.first) / window.width() : 0.5;
  return clamped({at - share * width, at - share * width + width}, rounds);
}

RoundWindow moved(const RoundWindow& window, double by, std::uint64_t rounds) {
  return clamped({window.first + by, window.end + by}, rounds);
}

RoundWindow following(const RoundWindow& window, std::uint64_t round, std::uint64_t rounds) {
  const auto at = static_cast<double>(round);
  if (at >= window.first && at <= window.end) return clamped(window, rounds);
  return clamped({at - window.width() / 2, at + window.width() / 2}, rounds);
}

StepRange range_for(const StepTimeline& whole, const RoundWindow& window, std::uint64_t pixels) {
  StepRange range;
  range.cells = 0;
  const double shown_cells =
      window.width() / static_cast<double>(std::max<std::uint64_t>(whole.rounds_per_cell, 1));
  if (whole.rounds_per_cell <= 1 || shown_cells >= static_cast<double>(pixels)) return range;
  // Half a window more on each side, in steps, so that a drag does not ask for every pixel.
  const auto step = static_cast<std::uint64_t>(std::max(window.width() / 2, 1.0));
  const auto first = static_cast<std::uint64_t>(std::max(window.first, 0.0)) / step * step;
  range.first_round = first >= step ? first - step : 0;
  range.end_round = std::min(first + 4 * step, whole.rounds);
  range.cells = std::min<std::uint64_t>(4 * std::max<std::uint64_t>(pixels, 1), 8192);
  return range;
}

std::vector<std::uint64_t> round_ticks(const RoundWindow& window, std::size_t most) {
  std::vector<std::uint64_t> ticks;
  const double least = window.width() / static_cast<double>(std::max<std::size_t>(most, 1));
  double step = 1;
  for (double power = 1; step < least; power *= 10) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      step = power * digit;
      if (step >= least) break;
    }
  }
  ticks.reserve(most + 1);
  for (double at = std::ceil(window.first / step) * step; at <= window.end; at += step)
    ticks.push_back(static_cast<std::uint64_t>(at));
  return ticks;
}

std::vector<std::uint32_t> lines_in_file(const WarpStop& warp, const std::string& file) {
  if (file.empty()) return warp.line > 0 ? std::vector{warp.line} : std::vector<std::uint32_t>();
  std::vector<std::uint32_t> lines;
  for (const std::string& frame : warp.frames) {
    const std::size_t colon = frame.rfind(':');
    if (colon == std::string::npos || frame.substr(0, colon) != file) continue;
    std::uint32_t line = 0;
    const char* const end = frame.data() + frame.size();
    if (std::from_chars(frame.data() + colon + 1, end, line).ptr == end) lines.push_back(line);
  }
  return lines;
}

std::string breakpoint_words(const std::set<BreakpointLine>& lines, const std::set<std::uint64_t>& bytes) {
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "Breakpoints: " : ", ") + one; };
  for (const BreakpointLine& one : lines)
    add(one.file.empty() ? fmt::format("line {}", one.line) : fmt::format("{}:{}", one.file, one.line));
  for (const std::uint64_t byte : bytes)
    add("writes to byte " + format_count(static_cast<std::int64_t>(byte)));
  return text;
}

std::string round_words(const StepStop& stop) {
  return fmt::format("Round {} of {}", count(stop.round), count(stop.rounds));
}

std::string slot_words(const StepStop& stop) {
  return fmt::format("Slot {} of {}", count(stop.slot), count(stop.slots));
}

std::string tile_words(const StepStop& stop, const StepTimeline* timeline) {
  const std::size_t tiles = timeline == nullptr ? 0 : timeline->tiles.size();
  const StepProgress& progress = stop.progress;
  if (progress.tile == 0) return tiles == 0 ? "" : "Before the first tile";
  std::string text = fmt::format("Tile {}", progress.tile);
  if (tiles > 0) text += fmt::format(" of {}", tiles);
  if (progress.first_key >= 0) text += " (" + range_words("key", {progress.first_key, progress.keys}) + ")";
  return text;
}

std::string warp_place_words(const WarpStop& warp) {
  if (warp.state == "ended") return "";
  std::string text =
      warp.line > 0 ? fmt::format("line {}", warp.line) : fmt::format("PTX line {}", warp.ptx_line);
  if (!warp.inlined.empty()) text += ", " + warp.inlined;
  return text;
}

std::string warp_state_words(const WarpStop& warp) {
  if (warp.state == "at_barrier") return fmt::format("waits at barrier {}", warp.barrier);
  if (warp.state == "waits_for_lanes") return "waits for lanes";
  return warp.state;
}

std::string barrier_words(const BarrierStop& barrier) {
  std::string text = fmt::format("Barrier {}: {} of {} threads have arrived", barrier.number, barrier.arrived,
                                 barrier.expected);
  if (!barrier.waiting_warps.empty() && !barrier.missing_warps.empty()) {
    text += fmt::format("; {} wait{} for {}", list_of(barrier.waiting_warps),
                        barrier.waiting_warps.size() == 1 ? "s" : "", list_of(barrier.missing_warps));
  }
  return text;
}

std::vector<std::string> stop_notes(const StepStop& stop) {
  std::vector<std::string> notes;
  notes.reserve(stop.findings.size());
  for (const Finding& finding : stop.findings)
    notes.push_back(fmt::format("The block ends in a fault at slot {}: {}", count(stop.slots), finding.text));
  if (!stop.cut_off.empty())
    notes.push_back(fmt::format("Stepping covers the first part: {}.", stop.cut_off));
  if (stop.is_thinned) {
    notes.push_back(
        fmt::format("Snapshots take {} MB and were thinned out to one in {} slots: a step back takes longer.",
                    stop.snapshot_bytes >> 20, count(stop.snapshot_interval)));
  }
  return notes;
}

std::string short_opcode(const std::string& instruction) {
  return std::string(opcode_of(instruction));
}

}  // namespace tilescope
