#pragma once

#include "sessions/views/prediction_parts.hpp"

namespace tilescope {

/// The predicted time as a bar of its parts, the roofline time below it and, where there is one, the measured latency,
/// all on one axis. `recorded` says that the latency is of a recorded session. Marks "model.bar.predicted", ".roofline",
/// ".measured" and "model.part.NAME".
void draw_model_bars(const PartsView& view, bool recorded);

/// The parts with their times and shares, the largest first. Marks "model.share.NAME".
void draw_parts_table(const PartsView& view);

}  // namespace tilescope
