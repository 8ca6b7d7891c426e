#pragma once

#include <string>

#include "sessions/views/occupancy/occupancy_series.hpp"
#include "sessions/views/points/heat_map.hpp"
#include "sessions/views/points/ladder.hpp"
#include "sessions/views/points/latency_series.hpp"
#include "sessions/views/points/point_details.hpp"

namespace tilescope {

// Contents of the panels as comma-separated values: numbers in full, a header with the units.

/// A line for each value of y, a column for each of x. A cell without a value is empty; the first field of the header
/// names the metric and the axes.
std::string heat_map_csv(const HeatMapView& view, const Metric& metric);

/// A line for each dot: its series, the value on the axis, p10, p50 and p90 (of a prediction its bounds), and the whole
/// configuration. `axis` is the parameter's name.
std::string latency_csv(const LatencyView& view, const PointIndex& index, const std::string& axis);

/// A line for each dot: device, limiter, the value on the axis, occupancy, the number of points there and the
/// configuration of the newest.
std::string occupancy_csv(const OccupancyView& view, const PointIndex& index, const std::string& axis);

/// A line for each bar and baseline: device, shape, kernel, where its latency is from, p10, p50 and p90, speed and the
/// configuration.
std::string ladder_csv(const std::vector<LadderGroup>& groups);

/// A line for each figure of a point: its section, where it is from, its name, the value as it is shown and as a number
/// in its own unit, and the value of the compared point.
std::string details_csv(const std::vector<DetailSection>& sections);

}  // namespace tilescope
