#pragma once

#include <array>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/model_parameters.hpp"
#include "profiler/explanation/model/sm_simulation.hpp"

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
  /// [us] Time at the boost clock and at the lowest clock of a power cap.
  double fastest_us = 0, slowest_us = 0;
  /// The part of `us` that does not depend on the blocks.
  double launch_us = 0;
  /// Code that arrives for the first time.
  double fetch_us = 0;
  /// SMs without work, while others still run.
  double tail_us = 0;
  /// Cycles in which a quarter issues.
  double issue_us = 0;
  /// Cycles in which it does not, by what its warps wait for; Wait::issue_slots stays 0.
  std::array<double, wait_count> waits_us{};
};

/// Time of one launch in a graph of the same launches, back to back. A device with a power cap runs the
/// slower, the more its tensor cores and FMA pipes are busy.
LaunchTime launch_time(const ExecutedKernel& kernel, const LaunchPlan& plan,
                       const ModelParameters& parameters);

}  // namespace tilescope::model
