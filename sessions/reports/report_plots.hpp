#pragma once

#include <optional>

#include "sessions/reports/report_document.hpp"
#include "sessions/views/points/ladder.hpp"

namespace tilescope {

/// The bars of a shape on a device, with their spread and the library baselines. None for fewer than two bars.
std::optional<ReportFigure> ladder_figure(const LadderGroup& group);

/// The latencies of correct points against the parameter that has most values among them: of the kernel with most
/// points, where there are several. None where no parameter varies.
std::optional<ReportFigure> latency_figure(const PointList& points);

}  // namespace tilescope
