#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/simt/block.hpp"

namespace tilescope {

/// Mean cost of a block of the grid.
struct BlockCost {
  /// Warp instructions.
  double instructions = 1;
  /// [B] of the memory that the block alone touches, in whole pages.
  double bytes = 0;
};

/// Blocks of a grid that stand for all of it. The first block, its neighbour along each axis and the last one stand for
/// themselves; the others are cut into runs of equal length, and one block of each stands for its run. Empty where the
/// whole grid is to be run: it is small enough, or `asked` blocks are as many. `cost` decides how many are
/// run. `asked`: 0 for an automatic choice.
std::vector<SampledBlock> sample_of_grid(const simt::Dimensions& grid, const BlockCost& cost,
                                         std::uint64_t asked);

}  // namespace tilescope
