#pragma once

#include <functional>
#include <string>

#include "profiler/service/requests/step.hpp"

namespace tilescope {

class BlockStepping;

/// Leads to the line of a warp's next instruction.
using ShowWarpLine = std::function<void(const WarpStop& warp)>;

/// Draws each warp of a stop, the warps that wait at each barrier, and the registers of a lane. `beyond`: a sentence on a lane
/// that was entered and that a warp does not have, kept for the next frame; "" otherwise.
void draw_stopped_warps(BlockStepping& stepping, const StepStop& stop, const ShowWarpLine& show_line,
                        std::string& beyond);

}  // namespace tilescope
