#pragma once

#include "profiler/execution/sass/hardware_pipe.hpp"

/// How long instructions keep the pipes of an SM busy.
namespace tilescope::sass {

/// A warp's instruction is issued by the quarter of the SM that the warp belongs to, one each cycle.
inline constexpr int quarters_per_sm = 4;

/// Whether the four quarters of an SM have one such pipe together: `lsu`, and `fp64` where it is a token one (8.6,
/// 8.9).
bool is_shared_by_quarters(HardwarePipe pipe, int architecture);

/// [cycles] How long a warp's instruction keeps a pipe busy, one of pipes_of(instruction, architecture): the shortest
/// time to the pipe's next instruction. For `lsu` 1, the time of a request or of one wavefront. `architecture`: 80, 86,
/// 89 or 90; another one is taken for the one before it.
double pipe_cycles(HardwarePipe pipe, const simt::MachineFacts& instruction, int architecture);

/// [cycles] From the issue of an instruction that sets a scoreboard to the earliest issue of one that waits for it. 0
/// where memory answers: it takes longer, but how long is not of the issue.
double scoreboard_cycles(const simt::MachineFacts& instruction, int architecture);

}  // namespace tilescope::sass
