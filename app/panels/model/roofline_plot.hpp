#pragma once

#include <imgui.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "app/widgets/plot_marks.hpp"
#include "profiler/views/model/roofline.hpp"

namespace tilescope {

/// How points of one series are drawn: the mark says where their height is from; the color does too while there is one
/// kernel, else it says which kernel it is.
MarkStyle style_of(const RooflineSeries& series, const RooflineView& view);
/// Style of points of one kernel without a latency.
MarkStyle style_of(const RooflineTick& tick, const RooflineView& view);

/// Marks, kernels, ticks and the ring around `current`: what is drawn, and no more.
void draw_roofline_legend(const RooflineView& view, const Measurement* current);

/// The element under the mouse: at most one of the three.
struct RooflineHit {
  /// Into RooflineView::series, and into its dots.
  std::optional<std::pair<std::size_t, std::size_t>> dot;
  /// Into RooflineView::ticks.
  std::optional<std::size_t> tick;
  /// The point of a dot or a tick, into RooflineView::points, and how many more lie there. The current one comes before
  /// others.
  std::uint32_t entry = 0;
  std::size_t more = 0;
  /// Into RooflineView::ceilings.known.
  std::optional<std::size_t> ceiling;
  /// The plot was double-clicked: the next call is to refit.
  bool wants_all_points = false;
};

/// The plot over the rest of the panel. `current` is the point that panels show, which gets a ring. `refit` takes the
/// axes to the view's ends; otherwise the user's zoom stays. Marks "plot.roofline", "roofline.dot.I.J",
/// "roofline.tick.I" and "roofline.ceiling.NAME".
RooflineHit draw_roofline(const RooflineView& view, const Measurement* current, bool refit);

}  // namespace tilescope
