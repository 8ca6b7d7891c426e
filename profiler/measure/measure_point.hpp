#pragma once

#include "profiler/measure/prepare/prepare.hpp"
#include "profiler/measure/workbench.hpp"
#include "profiler/service/requests/measure.hpp"
#include "profiler/service/requests/service.hpp"

namespace tilescope {

/// The answer to Measure, and the kernel as it was prepared for it, for requests that measure more than one point.
Preparation measure_point(Workbench& bench, const Measure::Params& params, const MeasureControl& control);

}  // namespace tilescope
