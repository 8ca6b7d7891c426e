#pragma once

#include "profiler/measure/workbench.hpp"
#include "profiler/requests/measure.hpp"
#include "profiler/requests/service.hpp"

namespace tilescope {

/// The answer to Measure, for requests that measure more than one point.
Measurement measure_point(Workbench& bench, const Measure::Params& params, const MeasureControl& control);

}  // namespace tilescope
