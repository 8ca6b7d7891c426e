#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/service/requests/step.hpp"

namespace tilescope {

/// A letter of StepTimeline::warps and what it means.
struct PhaseLegend {
  char letter = 'o';
  std::string_view name;
  std::string_view help;
};
/// In the order of the algorithm; waiting last.
const std::vector<PhaseLegend>& phase_legend();
/// "scores"; "" for a warp that has ended.
std::string_view phase_name(char letter);

/// Rounds [first, end) in which a warp does one thing.
struct PhaseRun {
  char letter = 'o';
  std::uint64_t first = 0, end = 0;

  bool operator==(const PhaseRun&) const = default;
};
/// The runs of each warp, without those after its end. As fine as the timeline's cells.
std::vector<std::vector<PhaseRun>> phase_runs(const StepTimeline& timeline);

/// The part of the rounds that a plot shows.
struct RoundWindow {
  double first = 0, end = 1;

  double width() const { return end - first; }
  bool operator==(const RoundWindow&) const = default;
};
/// `factor` below 1 zooms in, around `at`. Never less than eight rounds nor more than all.
RoundWindow zoomed(const RoundWindow& window, double at, double factor, std::uint64_t rounds);
RoundWindow moved(const RoundWindow& window, double by, std::uint64_t rounds);
/// The window around the play head where it lies outside; else as it is.
RoundWindow following(const RoundWindow& window, std::uint64_t round, std::uint64_t rounds);
/// The cells to ask for where the timeline of the whole block is too coarse for `pixels` of the window; cells of 0 where
/// it is fine enough.
StepRange range_for(const StepTimeline& whole, const RoundWindow& window, std::uint64_t pixels);

/// Round numbers for an axis of at most `most` labels: multiples of 1, 2 or 5 times a power of ten.
std::vector<std::uint64_t> round_ticks(const RoundWindow& window, std::size_t most);

/// A line at which stepping stops. `file` is "" for the kernel's own.
struct BreakpointLine {
  std::string file;
  std::uint32_t line = 0;

  auto operator<=>(const BreakpointLine&) const = default;
};
/// "Breakpoints: line 148, mma_key_loop.cuh:225, writes to byte 1,024"
std::string breakpoint_words(const std::set<BreakpointLine>& lines, const std::set<std::uint64_t>& bytes);
/// The lines of a file in which a warp is, innermost first: one of the kernel's own file ("") at most.
std::vector<std::uint32_t> lines_in_file(const WarpStop& warp, const std::string& file);
/// "Round 1,234 of 8,000"
std::string round_words(const StepStop& stop);
/// "Slot 1,234 of 60,000"
std::string slot_words(const StepStop& stop);
/// "Tile 3 of 8 (keys 128 to 191)"; "Before the first tile"; "" for a block without tiles.
std::string tile_words(const StepStop& stop, const StepTimeline* timeline);
/// "line 171, mma_key_loop.cuh:225"; "PTX line 812" without line information.
std::string warp_place_words(const WarpStop& warp);
/// "waits at barrier 0"
std::string warp_state_words(const WarpStop& warp);
/// The warps that have not arrived at a barrier, and those that wait there.
std::string barrier_words(const BarrierStop& barrier);
/// Warnings about this run: faults, cut-offs, snapshots that were thinned out. A sentence each.
std::vector<std::string> stop_notes(const StepStop& stop);
/// The opcode of an instruction, for a narrow cell: "mma" of "mma.sync.aligned...".
std::string short_opcode(const std::string& instruction);

}  // namespace tilescope
