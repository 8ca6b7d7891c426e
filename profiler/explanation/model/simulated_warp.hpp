#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/execution/sass/issue_intervals.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/path_thinning.hpp"
#include "profiler/explanation/model/wait.hpp"
#include "profiler/explanation/model/warp_scheduler.hpp"

/// State of a simulated SM: its quarters, warps and blocks.
namespace tilescope::model {

inline constexpr std::size_t quarters = sass::quarters_per_sm;
inline constexpr std::size_t scoreboards = 6;
inline constexpr std::size_t barriers_of_block = 16;
/// Instructions of a quarter that wait for the load-store unit; the next one waits in its warp. Inferred from latencies on
/// an H200.
inline constexpr std::size_t lsu_queue = 9;

/// How long a resource of the SM was busy [cycles].
struct Load {
  double cycles = 0;
  /// With the cycles of iterations that are left out.
  double weighted = 0;

  void add(double busy, double weight) {
    cycles += busy;
    weighted += busy * weight;
  }
};

struct Quarter {
  WarpScheduler scheduler;
  std::array<double, unit_count> free{};
  std::array<Cycle, lsu_queue> lsu_done{};
  std::size_t lsu_next = 0;
};

struct Scoreboard {
  Cycle released = 0;
  Wait reason = Wait::arithmetic;
  Stall stall = Stall::short_scoreboard;
  /// The part of that time that is conflicts [cycles], and the share of the rest that an idle SM would take, 0 to 1.
  float conflicts = 0, latency = 0;
};

struct SimulatedWarp {
  const ShortPath* path = nullptr;
  std::size_t step = 0;
  /// Into the code.
  std::uint32_t at = 0, end = 0;
  /// Slot of the SM for a block.
  std::size_t slot = 0;
  std::size_t quarter = 0;
  std::uint64_t number_in_block = 0;
  /// Executions so far, by InstructionCost::load_number.
  std::vector<std::uint32_t> loads;
  /// Issues no earlier.
  Cycle free_at = 0;
  /// Weight of what happens now.
  double weight = 1;
  std::array<Scoreboard, scoreboards> held{};
  std::vector<Cycle> copy_groups;
  Cycle last_copy = 0;
  /// Share of the last copy's time that an idle SM would take.
  double copy_latency = 0;
  /// Copies so far.
  double copies = 0;
  /// When what was stored to shared memory is there, and what was written to L2 is acknowledged.
  Cycle stored = 0;
  double written = 0;
  /// At a block barrier at which it arrived and which others have not reached; whether arithmetic may go ahead of it; whether
  /// the warp waits, since its next instruction may not; and the barrier's instruction.
  bool awaits_barrier = false, defers_blocking = false, is_parked = false;
  std::uint32_t barrier_at = 0;
  /// When the last barrier let it go.
  Cycle barrier_end = 0;
};

struct BlockBarrier {
  /// That arrived and wait, now or before their next instruction that may not go ahead.
  std::vector<std::uint32_t> waiting;
  /// Warps that do not wait included.
  std::size_t arrived = 0;
  Cycle last = 0;
};

/// Warps that do not wait at a barrier, and the sum of their weights.
struct RunningWarps {
  double count = 0, weights = 0;

  double mean_weight() const { return weights / count; }
};

struct BlockSlot {
  std::array<std::uint64_t, 3> place{};
  /// Blocks that started before it.
  std::uint32_t number = 0;
  /// Quarter of its first warp.
  std::size_t first_quarter = 0;
  std::size_t live = 0;
  RunningWarps running;
  std::vector<std::uint32_t> warps;
  std::array<BlockBarrier, barriers_of_block> barriers;
  Cycle last_end = 0;
};

}  // namespace tilescope::model
