#pragma once

#include "profiler/service/requests/step.hpp"

namespace tilescope {

class Explorer;

/// What each warp of a stop does, who waits at which barrier, and the registers of a lane.
void draw_stopped_warps(Explorer& explorer, const StepStop& stop);

}  // namespace tilescope
