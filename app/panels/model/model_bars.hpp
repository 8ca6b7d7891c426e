#pragma once

#include <imgui.h>

#include <cstddef>
#include <functional>
#include <string>

#include "sessions/views/model/prediction_parts.hpp"

namespace tilescope {

/// Texts of tooltips.
struct ModelHelp {
  /// Explains a part; "" if there is no explanation.
  std::function<std::string(const std::string& part)> of_part;
  /// Explains the bound of the roofline time.
  std::string of_roofline;
};

/// The predicted time as a bar of its parts, the roofline time below it and, where there is one, the measured latency,
/// all on one axis. `recorded` says that the latency is of a recorded session. Marks "model.bar.predicted", ".roofline",
/// ".measured" and "model.part.NAME".
void draw_model_bars(const PartsView& view, bool recorded, const ModelHelp& help);

/// The parts with their times and shares, the largest first. Marks "model.share.NAME".
void draw_parts_table(const PartsView& view, const ModelHelp& help);

/// The color that a part has in both, by the model's name for it; `place` among the parts chooses an unknown part's.
ImVec4 color_of_part(const std::string& name, std::size_t place);

}  // namespace tilescope
