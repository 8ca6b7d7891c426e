#pragma once

#include <cstdint>
#include <optional>

#include "app/widgets/plot_marks.hpp"
#include "sessions/views/model/prediction_errors.hpp"

namespace tilescope {

/// Style of one kernel's points: a color and a mark that no other kernel has.
MarkStyle style_of_kernel(const ErrorsView& view, const std::string& kernel);

/// The kernels with their marks, the diagonal and the lines of 10 %.
void draw_scatter_legend(const ErrorsView& view);

struct ScatterAction {
  /// The point under the mouse, into ErrorsView::points.
  std::optional<std::uint32_t> hovered;
  /// The next call is to refit.
  bool wants_all_points = false;
};

/// Predicted against measured latency, both logarithmic. `current` gets a ring. `refit` takes the axes to the view's ends;
/// otherwise the user's zoom stays. Marks "plot.model", "model.dot.I.J" and "model.ring".
ScatterAction draw_scatter(const ErrorsView& view, const Measurement* current, float height, bool refit);

}  // namespace tilescope
