#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/model_parameters.hpp"
#include "profiler/explanation/model/path_thinning.hpp"
#include "profiler/explanation/model/wait.hpp"

namespace tilescope::model {

/// Work of one SM. Everything referred to must outlive the call.
struct SmWork {
  const std::vector<InstructionCost>& costs;
  const std::vector<InstructionRange>& basic_blocks;
  const ModelParameters& parameters;
  struct Block {
    /// Place in the grid.
    std::array<std::uint64_t, 3> place{};
    /// A path for every warp.
    const std::vector<ShortPath>* warps = nullptr;
  };
  /// In the order in which they start.
  std::vector<Block> blocks;
  /// At a time.
  std::size_t resident = 1;
  /// [cycles] Between the starts of two blocks, at least.
  double block_interval = 0;
  /// See LaunchPlan.
  double l1_bytes = 0;
  std::uint64_t heads_of_group = 1;
  /// [cycles] Latency of a load from global memory that L1 does not have, and of one that L2 does not have either.
  double miss_latency = 0, dram_latency = 0;
  /// See LaunchPlan. Where it is not known, all such loads wait for DRAM by this part of its latency.
  bool is_touch_known = false;
  double dram_wait = 0;
};

struct SmTime {
  /// [cycles] From the start of the first block to the end of the last one.
  double cycles = 0;
  /// [cycles] At which the first block started that had to wait for another one's end, and the last one; with the
  /// instructions that were issued until then.
  double second_start = 0, issued_at_second_start = 0;
  double last_start = 0, issued_at_last_start = 0;
  /// Instructions that warps issued, and what they waited for meanwhile.
  double issued = 0;
  WaitSums sums;
};

/// Runs blocks on an SM: warps issue in order, as their stall counts, scoreboards and barriers allow, one instruction a
/// cycle for each quarter, older blocks first (warp_scheduler.hpp); units take one after the other.
SmTime simulate(const SmWork& work);

}  // namespace tilescope::model
