#pragma once

#include "sessions/views/points/point_rows.hpp"

namespace tilescope {

/// The line of controls over the table of points: words, status, whether recorded points are listed (where there are
/// any). Leaves `room` pixels at the right.
void draw_point_filter(PointFilter& filter, bool has_recorded, float room);

}  // namespace tilescope
