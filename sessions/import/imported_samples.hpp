#pragma once

#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// With fewer samples p10 and p90 are not given.
inline constexpr std::size_t min_samples_for_spread = 5;

/// As statistics_of(), but p10 and p90 of too few samples are NaN. Each sample is one launch.
SampleStatistics recorded_statistics(std::vector<double> samples_us);

/// A recorded latency of these samples, which `series` names. Says in `notes` where they are too few for a spread.
Latency latency_of(const SampleStatistics& statistics, const std::string& series,
                   std::vector<std::string>& notes);

/// A recorded latency of which the file has one figure and no samples.
Latency latency_without_samples(double p50_us, const std::string& series);

/// Adds the speed for all operations of attention at the shape.
void add_speed(Latency& latency, const Shape& shape);

}  // namespace tilescope
