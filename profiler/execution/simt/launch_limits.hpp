#pragma once

#include <cstdint>

#include "profiler/execution/simt/block.hpp"

namespace tilescope::simt {

/// Throws std::invalid_argument for a launch that no GPU of the kernel's target accepts: the size of its block, grid and
/// cluster, its shared memory, its registers, its parameters.
void check_launch(const Program& program, const Launch& launch);

/// The most threads that a block of the kernel can have: what it declares, and what its registers leave room for.
std::uint32_t most_threads_of_block(const Program& program);

}  // namespace tilescope::simt
