#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "profiler/measure/interpreter_plan.hpp"
#include "profiler/measure/program_cache.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/model/executed_kernel.hpp"
#include "profiler/requests/service.hpp"
#include "profiler/requests/trace.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// What else is wanted of machine code that was interpreted.
struct InterpreterOutputs {
  /// Gets what each instruction did, or why the PTX was run in its place.
  TracedCode* code = nullptr;
  /// Gets what a model of latency needs; stays empty where the PTX was run.
  std::optional<model::ExecutedLaunch>* launch = nullptr;
};

/// Runs a kernel in the interpreter, checks what it wrote and counts its memory accesses. Fills error, memory and
/// findings of a point that is `ok` so far, and notes how much ran. Failures are a status with a sentence:
/// `wrong_result`; `launch_failed` for errors for which a GPU ends the kernel, and for arguments that do not match;
/// `unsupported` for PTX that is not executed here; `timed_out` for an endless loop, and for a run that would take
/// longer than `control` allows; `cancelled`.
void measure_interpreted(ProgramCache& programs, ReferenceCache& references, const InterpreterPlan& plan,
                         const ProblemInputs& problem, const BlockChoice& blocks, const Tracing& tracing,
                         const MeasureControl& control, Measurement& point,
                         const InterpreterOutputs& outputs = {});

/// The reason why nothing was interpreted.
struct InterpreterFailure {
  Status status = Status::unsupported;
  std::string reason;
};
/// Calls `run`; exceptions of the interpreter and its launch become a status with a sentence.
std::optional<InterpreterFailure> judge_failures(const std::function<void()>& run);

/// The note of a point whose PTX was interpreted. `why`: see CodeToRun::why_ptx.
std::string counted_from_ptx(const std::string& why);

/// Warp instructions after which a block counts as an endless loop: 200 times the estimate from its shape, at least 50
/// million.
std::uint64_t instruction_budget(const Shape& shape, const LaunchGeometry& geometry);

}  // namespace tilescope
