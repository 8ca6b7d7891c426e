#pragma once

#include <optional>
#include <string>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/service.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// A configuration as a model of latency reads it.
struct ExecutedPoint {
  /// Status, resources and occupancy, as of a point that is not measured.
  Measurement point;
  /// None where the point failed, or its machine code was not executed: `point` and its notes say why.
  std::optional<model::ExecutedLaunch> launch;
};

/// Compiles a configuration for its device and executes representative blocks.
ExecutedPoint execute_launch(Workbench& bench, const Experiment& experiment, const MeasureControl& control);

}  // namespace tilescope
