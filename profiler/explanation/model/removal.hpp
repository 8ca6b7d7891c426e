#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"

namespace tilescope::model {

/// A cause of a launch's time that can be taken out of the recorded launch.
enum class Cause : std::uint8_t {
  nothing,
  /// Excess wavefronts of shared memory.
  bank_conflicts,
  /// Excess sectors of global memory, for the lanes and the width.
  excess_sectors,
  /// Loads from global memory of what the launch loaded before: they find it in L1, in the fewest sectors.
  repeated_reads,
  /// Loads and stores of local memory: they are not executed.
  local_memory,
  /// Block barriers: they are not executed.
  barriers,
  /// Warps that have less to do between two barriers than the busiest one of their block: all have as much.
  idle_warps,
  /// Loads of less than 16 B a lane: a quarter as many of 4 B are issued, and move as much.
  narrow_loads,
  /// Work that the SM that finishes last has beyond the mean of all SMs.
  tail,
  /// Twice as many blocks reside on an SM, as far as it holds their warps.
  few_warps,
  /// Quarters issue any number of instructions in a cycle.
  issue_slots,
  /// Units that are never busy; latencies stay.
  tensor,
  arithmetic,
  mufu,
  shared_memory,
  /// Atomic operations that never meet.
  atomics,
  /// Any bandwidth between L2 and the SMs.
  l2,
  /// L2 has kept all data.
  dram,
  launch,
  block_start,
};

/// "bank_conflicts", as Counterfactual::cause.
std::string to_string(Cause cause);

/// One cause, everywhere or at some instructions.
struct Removal {
  Cause cause = Cause::nothing;
  /// Into ExecutedKernel::code; empty for all.
  std::vector<std::uint32_t> instructions{};

  bool concerns(std::size_t instruction) const;
};

/// The kernel without the cause, as far as its accesses have it. Without its blocks and their lengths.
ExecutedKernel kernel_without(const Removal& removal, const ExecutedKernel& kernel, const LaunchPlan& plan);

/// The blocks with the same work, spread evenly: every warp goes the ways of the busiest one between two barriers, for
/// `share` of the time. Blocks whose warps do not pass the same number of barriers are left as they are.
struct EvenBlocks {
  std::vector<ExecutedBlock> blocks;
  double share = 1;
};
EvenBlocks even_blocks(const ExecutedKernel& kernel);

/// Takes the cause out of the costs of the kernel's instructions.
void remove_from(std::vector<InstructionCost>& costs, const Removal& removal, const ExecutedKernel& kernel);

}  // namespace tilescope::model
