#pragma once

#include "profiler/gpu/cuda/launch_end.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Adds to a point why the GPU ended its launch: executes the launch in the interpreter, with the checkers, within half
/// of the caller's time limit. The point gets the findings, first the one that explains the end, and a sentence in its
/// reason with the line, thread and address; or with what was not found, or why nothing was executed, and how the line is
/// found on the GPU. Where the launch was refused, the reason gets what a block needs.
void explain_ended_launch(Workbench& bench, const Prepared& kernel, cuda::LaunchEnd end,
                          const MeasureControl& control, Measurement& point);

}  // namespace tilescope
