#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/explanation/model/block_work.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"

namespace tilescope::model {

/// The blocks of the SM that finishes last, in the order in which they start there.
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

/// Hands out all blocks of a grid to SMs as a GPU does: in order, first one for each SM, then as they finish. A block
/// takes as long as it has instructions.
SmSchedule schedule(const BlockWork& work, const LaunchPlan& plan, std::size_t sms);

}  // namespace tilescope::model
