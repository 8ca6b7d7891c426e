#pragma once

#include "profiler/measure/interpreter_plan.hpp"
#include "profiler/measure/program_cache.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/requests/service.hpp"

namespace tilescope {

struct WindowSelection;
struct WindowSummary;

/// Runs one block and sends the selected executions, a few hundred at a time, in the form of
/// profiler/memory/trace_window.hpp. Failures are the summary's status, as in measure_interpreted.
WindowSummary interpret_window(ProgramCache& programs, const InterpreterPlan& plan,
                               const ProblemInputs& problem, const WindowSelection& selection,
                               const MeasureControl& control);

}  // namespace tilescope
