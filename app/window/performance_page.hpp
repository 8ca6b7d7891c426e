#pragma once

#include "app/explorer/latency_meter.hpp"

namespace tilescope {

/// The content of Help > Performance: how long the answers to moves of the sliders took, by stage.
void draw_performance(const LatencyMeter& meter);

}  // namespace tilescope
