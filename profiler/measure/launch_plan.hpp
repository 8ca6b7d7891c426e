#pragma once

#include <optional>

#include "profiler/measure/interpreter_plan.hpp"
#include "profiler/model/executed_kernel.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Where the blocks of a launch run, for the model of latency. Without an occupancy one block at a time is on an SM.
model::LaunchPlan launch_plan(const InterpreterPlan& plan, const std::optional<Occupancy>& occupancy,
                              const std::optional<Resources>& resources);

}  // namespace tilescope
