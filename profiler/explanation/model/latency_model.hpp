#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/model_parameters.hpp"
#include "profiler/explanation/model/removal.hpp"
#include "profiler/explanation/model/wait.hpp"

namespace tilescope::model {

/// Where the time of a launch goes. All in [us]; the parts add up to the whole.
struct LaunchTime {
  /// The least time of the launch, however well everything overlaps.
  struct Bounds {
    /// [B] that DRAM moves, since L2 has lost them from the launch before, and the time that it takes for them at the
    /// rate that copies reach.
    double dram_bytes = 0, dram_us = 0;
    /// [us] Traffic between L2 and the SMs at its bandwidth.
    double l2_us = 0;
    /// [us] The pipe of the SMs that is busy the longest, at the boost clock.
    double pipe_us = 0;
    Unit pipe = Unit::none;
  };
  Bounds bounds;
  double us = 0;
  /// The part of `us` that does not depend on the blocks.
  double launch_us = 0;
  /// Code that arrives for the first time.
  double fetch_us = 0;
  /// Time that the SM that finishes last takes for its work beyond the mean of all SMs.
  double tail_us = 0;
  /// The time that the launch would not take at the boost clock; and the clock that was assumed [MHz].
  double clock_us = 0;
  double clock_mhz = 0;
  /// Slots in which a quarter issues, in the mean of all SMs at the boost clock: warp instructions / (4 * SMs * clock).
  double issue_us = 0;
  /// Time in which it does not, by what its warps wait for; Wait::issue_slots stays 0.
  std::array<double, wait_count> waits_us{};
  /// Parts of `issue_us` and `waits_us`: time in which an instruction is issued, and in which warps wait before that. By
  /// ExecutedKernel::code.
  struct OfInstruction {
    double issue_us = 0, wait_us = 0;
  };
  std::vector<OfInstruction> by_instruction;
  /// The longest block of the SM that finishes last: its linear index, and its instructions over the mean of all blocks.
  std::uint64_t longest_block = 0;
  double longest_over_mean = 1;
  /// Warps that wait for each reason, for each warp instruction that is issued: as Nsight Compute's "warps stalled per
  /// issue".
  std::array<double, stall_count> stalls{};
};

/// Time of one launch in a graph of the same launches, back to back, at the clock that the device's power cap leaves it
/// (power.hpp). `removal`: a cause that is taken out of the launch.
LaunchTime launch_time(const ExecutedKernel& kernel, const LaunchPlan& plan,
                       const ModelParameters& parameters, const Removal& removal = {});

}  // namespace tilescope::model
