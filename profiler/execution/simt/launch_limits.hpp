#pragma once

#include "profiler/execution/simt/block.hpp"

namespace tilescope::simt {

/// Throws std::invalid_argument for a launch that no GPU of the kernel's target accepts: the size of its block, grid and
/// cluster, its shared memory, its registers, its parameters.
void check_launch(const Program& program, const Launch& launch);

}  // namespace tilescope::simt
