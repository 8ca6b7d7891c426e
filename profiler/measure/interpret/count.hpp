#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/measure/prepare/prepared.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/count_kernel.hpp"
#include "profiler/service/requests/service.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Result of interpreting a kernel.
struct Counted {
  /// `ok`; `wrong_result`; `launch_failed` for errors for which a GPU ends the kernel, and for arguments that do not
  /// match; `unsupported` for PTX that is not executed here; `timed_out` for an endless loop, and for a run that would
  /// take longer than the caller waits; `cancelled`.
  Status status = Status::ok;
  /// A sentence, "" when ok.
  std::string reason;
  std::optional<Error> error;
  /// None where the tensors are too large to be interpreted: a note says so.
  std::optional<MemoryCounts> memory;
  std::vector<Finding> findings;
  std::vector<std::string> notes;
  /// For a model of latency. None where the PTX was run.
  std::optional<model::ExecutedLaunch> launch;
  /// For CountOptions::machine_code: what each instruction did, or why the PTX was run in its place.
  std::optional<CountedCode> machine_code;
};

/// Runs a kernel in the interpreter, checks what it wrote and counts its memory accesses.
Counted count(Workbench& bench, const Prepared& kernel, const CountOptions& counting,
              const MeasureControl& control);

/// Why a run in the interpreter did not end by itself; none where it did.
std::optional<Failure> why_ended(const Traced& traced, const MeasureControl& control);

/// Adds it to a point that is `ok` so far.
void add_counted(Counted counted, Measurement& point);

/// A sentence on why the PTX of a kernel is interpreted and not its machine code; "" where the machine code is.
std::string why_counted_from_ptx(Workbench& bench, const Prepared& kernel);

/// Warp instructions after which a block counts as an endless loop: 200 times the estimate from its shape, at least 50
/// million.
std::uint64_t instruction_budget(const Shape& shape, const LaunchGeometry& geometry);

}  // namespace tilescope
