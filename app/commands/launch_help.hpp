#pragma once

namespace tilescope {

/// The form of a launch file and the exit codes, for the help of `run`.
extern const char* const launch_help;

}  // namespace tilescope
