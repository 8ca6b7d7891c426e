#pragma once

#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/files/launch_prediction.hpp"
#include "profiler/measure/open/launch_guess.hpp"

namespace tilescope {

/// Blocks that stand for the grid, with the bytes of the buffers that the launch touches, that it writes and that it reads
/// first.
LaunchSample sample_of(const GuessedLaunch& launch);

/// Parts of the buffers that the blocks of a sample touched when they were tried; empty where all blocks run.
TouchedParts touched_parts(const GuessedLaunch& launch);

}  // namespace tilescope
