#pragma once

#include "profiler/measure/interpreted_sequence.hpp"
#include "profiler/measure/preparation.hpp"
#include "profiler/requests/trace.hpp"

namespace tilescope {

/// A sentence on why the PTX of a kernel that is ready is interpreted and not its machine code; "" where the machine code
/// is.
std::string why_counted_from_ptx(Workbench& bench, const ChosenExperiment& chosen,
                                 const PreparedKernel& prepared);

/// Interprets a kernel that is ready: checks its result and counts its memory accesses. What goes wrong is the status
/// of `point`; tensors that are too large are a note.
void check_and_count(Workbench& bench, const ChosenExperiment& chosen, PreparedKernel& prepared,
                     const Tracing& tracing, const MeasureControl& control, Measurement& point,
                     const InterpreterOutputs& outputs = {});

}  // namespace tilescope
