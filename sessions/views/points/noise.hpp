#pragma once

#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// Whether the intervals (p10 to p90) of two points that have a value of the metric meet: neither is better
/// beyond noise. An unknown interval, as of a recorded point without samples, meets all others. For a metric
/// without intervals: whether the values are equal.
bool intervals_meet(const Metric& metric, const Measurement& a, const Measurement& b);

}  // namespace tilescope
