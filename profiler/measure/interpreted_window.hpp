#pragma once

#include <functional>

#include "profiler/measure/interpreter_plan.hpp"
#include "profiler/measure/program_cache.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/worker/server.hpp"

namespace tilescope {

/// Runs one block and passes on the selected executions, a few hundred at a time, in the form of
/// profiler/memory/trace_window.hpp. Failures are the summary's status, as in measure_interpreted.
WindowSummary interpret_window(ProgramCache& programs, const InterpreterPlan& plan,
                               const ProblemInputs& problem, const WindowSelection& selection,
                               const std::function<void(Json events)>& send, const MeasureControl& control);

}  // namespace tilescope
