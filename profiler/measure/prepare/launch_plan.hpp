#pragma once

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/measure/prepare/prepared.hpp"

namespace tilescope {

/// Distribution of a launch's blocks over SMs, for the latency model. Without an occupancy one block at a
/// time is on an SM.
model::LaunchPlan launch_plan(const Prepared& kernel);

}  // namespace tilescope
