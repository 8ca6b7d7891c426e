#pragma once

#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

struct WindowSelection;
struct WindowSummary;

/// Runs one block and sends the selected executions, a few hundred at a time, in the form of
/// profiler/execution/memory/trace_window.hpp. Failures are the summary's status, as in Counted.
WindowSummary interpret_window(Workbench& bench, const Prepared& kernel, const WindowSelection& selection,
                               const MeasureControl& control);

}  // namespace tilescope
