#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/explanation/model/block_work.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"

namespace tilescope::model {

/// The blocks of an SM that may finish last, in the order in which they start there.
struct SmSchedule {
  struct Block {
    /// Linear, in the grid.
    std::uint64_t index = 0;
    /// Into ExecutedKernel::blocks: the executed block that stands for it.
    std::size_t executed = 0;
    /// [warp instructions] Its own, which the executed block need not have.
    double work = 0;
  };
  std::vector<Block> blocks;
  /// Mean work of all SMs over this SM's: 1 where all finish together.
  double balance = 1;
};

/// Whether they differ by 5 % at the most. There must be one.
bool has_equal_blocks(const std::vector<SmSchedule::Block>& blocks);

/// Hands out all blocks of a grid to SMs as a GPU does: in order, first by sm_order(), then as blocks finish. A block takes as
/// long as it has instructions. `architecture`: 89 for sm_89. The SM with the most work, which finishes last where its blocks
/// compete; and behind it, if that is another one, the SM with the blocks that take the longest one after the other.
std::vector<SmSchedule> schedule(const BlockWork& work, const LaunchPlan& plan, std::size_t sms,
                                 int architecture);

}  // namespace tilescope::model
