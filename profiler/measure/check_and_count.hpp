#pragma once

#include "profiler/measure/preparation.hpp"
#include "profiler/requests/trace.hpp"

namespace tilescope {

/// Interprets a kernel that is ready: checks its result and counts its memory accesses. What goes wrong is the status
/// of `point`; tensors that are too large are a note.
void check_and_count(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                     const Tracing& tracing, const MeasureControl& control, Measurement& point);

}  // namespace tilescope
