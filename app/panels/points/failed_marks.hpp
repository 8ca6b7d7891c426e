#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/widgets/plot_marks.hpp"
#include "sessions/views/points/latency_series.hpp"

namespace tilescope {

// Crosses for configurations without a latency, above the lower edge of a plot for any limits of its axis. Call between
// BeginPlot and EndPlot.

MarkStyle failed_style(bool older_source);
void draw_failed(const std::vector<FailedDot>& dots);
/// The entry of the cross under the mouse.
std::optional<std::uint32_t> find_failed_under_mouse(const std::vector<FailedDot>& dots, float radius);

}  // namespace tilescope
