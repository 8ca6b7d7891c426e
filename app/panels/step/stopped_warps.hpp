#pragma once

#include "profiler/service/requests/step.hpp"

namespace tilescope {

class Explorer;

/// Draws each warp of a stop, the warps that wait at each barrier, and the registers of a lane.
void draw_stopped_warps(Explorer& explorer, const StepStop& stop);

}  // namespace tilescope
