#pragma once

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/measure/prepare/prepared.hpp"

namespace tilescope {

/// Where the blocks of a launch run, for the model of latency. Without an occupancy one block at a time is on an SM.
model::LaunchPlan launch_plan(const Prepared& kernel);

}  // namespace tilescope
