#pragma once

#include <vector>

#include "profiler/measure/open/launch_guess.hpp"
#include "profiler/measure/open/launch_probe.hpp"

namespace tilescope {

/// The arguments of a launch for a trial run, by GuessedLaunch::parameters. Buffers that are guessed already have the
/// contents with which the launch will be executed.
std::vector<ProbeArgument> probe_arguments(const GuessedLaunch& launch);

}  // namespace tilescope
