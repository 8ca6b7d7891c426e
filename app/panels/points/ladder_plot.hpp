#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "sessions/shared_measurement.hpp"
#include "sessions/views/points/ladder_axis.hpp"

namespace tilescope {

/// The view options of the ladder.
struct LadderView {
  LadderQuantity quantity = LadderQuantity::speed;
  bool log = false;
};

/// Draws the entries of a point's menu, which the right button opens.
using LadderMenu = std::function<void(const SharedMeasurement& point)>;

/// Columns that all groups share, so that they align. In pixels.
struct LadderColumns {
  float names = 0;
  float latency = 0;
  /// 0 where there is no room for it.
  float speed = 0;
  float ratio = 0;
};
LadderColumns ladder_columns(const std::vector<LadderGroup>& groups);

/// The marks of the kinds that the groups have.
void draw_ladder_legend(const std::vector<LadderGroup>& groups);

/// A row of the current table for a group: shape, device (where it is asked for), the best kernel with its figures.
/// Returns whether it was clicked.
bool draw_ladder_line(const LadderLine& line, std::size_t index, bool names_device);

/// A heading, bars with their figures, baselines as lines across them, an axis. Nothing of a group that is scrolled out
/// of sight is drawn. `index` distinguishes groups, `shown` is the point that panels show. Returns the point that was
/// clicked, nullptr for none.
SharedMeasurement draw_ladder_group(const LadderGroup& group, std::size_t index, const LadderColumns& columns,
                                    const LadderView& view, const SharedMeasurement& shown,
                                    const LadderMenu& menu = {});

}  // namespace tilescope
