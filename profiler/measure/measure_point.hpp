#pragma once

#include "profiler/measure/prepare.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/requests/measure.hpp"
#include "profiler/requests/service.hpp"

namespace tilescope {

/// The answer to Measure, and the kernel as it was prepared for it, for requests that measure more than one point.
Preparation measure_point(Workbench& bench, const Measure::Params& params, const MeasureControl& control);

}  // namespace tilescope
