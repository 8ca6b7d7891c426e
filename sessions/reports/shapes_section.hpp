#pragma once

#include <vector>

#include "sessions/reports/report_document.hpp"
#include "sessions/views/points/taken_points.hpp"

namespace tilescope {

/// For each device the configurations that have a latency at every shape of the points: the latencies, each against the
/// best of its shape, and the regret of one configuration for all shapes; or the sentence that no two have them all. None
/// for a device with one shape.
std::vector<ReportSection> shapes_sections(const PointList& points);

}  // namespace tilescope
