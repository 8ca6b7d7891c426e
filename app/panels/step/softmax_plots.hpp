#pragma once

#include "profiler/views/step/softmax_view.hpp"

namespace tilescope {

/// m and l by tile, up to the play head, with float64 as a line. `height` [px] of each. Marks "plot.softmax.m" and
/// "plot.softmax.l".
void draw_running_plots(const SoftmaxPart& part, float height);
/// The scores of a tile as colors, masked ones hatched, and as marks over their keys. Marks "softmax.strip" and
/// "plot.softmax.scores".
void draw_scores(const ScoreStrip& strip, float height);

}  // namespace tilescope
