#pragma once

#include <optional>
#include <vector>

#include "profiler/measure/interpreter_plan.hpp"
#include "profiler/memory/instruction_counts.hpp"
#include "profiler/requests/traced_code.hpp"
#include "profiler/sass/issue_model.hpp"
#include "profiler/simt/program.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Where the warps of a launch run. Without an occupancy one block at a time is on an SM.
sass::WarpPlaces warp_places(const InterpreterPlan& plan, const std::optional<Occupancy>& occupancy);

/// The machine code of a program, with what each instruction did and what it takes to issue it. `counts` is by index into
/// Program::code.
TracedCode traced_code(const simt::Program& program, const std::vector<InstructionCounts>& counts,
                       const InterpreterPlan& plan, const sass::WarpPlaces& places);

}  // namespace tilescope
