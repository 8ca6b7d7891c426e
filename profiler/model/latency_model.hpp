#pragma once

#include <array>

#include "profiler/model/executed_kernel.hpp"
#include "profiler/model/model_parameters.hpp"
#include "profiler/model/sm_simulation.hpp"

namespace tilescope::model {

/// Where the time of a launch goes. All in [us]; the parts add up to the whole.
struct LaunchTime {
  double us = 0;
  /// Of it, what does not depend on the blocks.
  double launch_us = 0;
  /// SMs without work, while others still run.
  double tail_us = 0;
  /// Cycles in which a quarter issues.
  double issue_us = 0;
  /// Cycles in which it does not, by what its warps wait for; Wait::issue_slots stays 0.
  std::array<double, wait_count> waits_us{};
};

/// What a launch takes on a device whose L2 holds its tensors, at the clock of the parameters.
LaunchTime launch_time(const ExecutedKernel& kernel, const LaunchPlan& plan,
                       const ModelParameters& parameters);

}  // namespace tilescope::model
