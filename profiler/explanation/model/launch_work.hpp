#pragma once

#include <cstddef>
#include <vector>

#include "profiler/explanation/model/block_schedule.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/path_thinning.hpp"
#include "profiler/explanation/model/sm_simulation.hpp"

/// The work of the SM that finishes last, in a form short enough to simulate.
namespace tilescope::model {

/// [warp instructions] by ExecutedKernel::blocks.
std::vector<double> executed_work(const ExecutedKernel& kernel);

/// The blocks of an SM, in the order in which they start.
struct Sequence {
  std::vector<SmSchedule::Block> blocks;
  /// At a time.
  std::size_t resident = 1;

  /// [warp instructions] of all blocks.
  double work() const;
};

/// Blocks of a sequence, with some iterations of their loops.
struct ShortWork {
  /// By ExecutedKernel::blocks.
  std::vector<std::vector<ShortPath>> by_block;
  std::vector<SmWork::Block> blocks;
  /// [warp instructions] of the executed blocks that stand for them.
  double work = 0;
};

/// `executed`: ExecutedKernel::blocks, or others in their place; `full`: as executed_work().
ShortWork short_work(const std::vector<InstructionRange>& basic_blocks,
                     const std::vector<ExecutedBlock>& executed, const LaunchPlan& plan,
                     const Sequence& sequence, const std::vector<double>& full);

/// [cycles] of the whole sequence, of which some blocks were simulated: the others take as long as their instructions at
/// the rate between the second wave's start and the last block's.
double extrapolate(const SmTime& time, const Sequence& sequence, const ShortWork& simulated);

}  // namespace tilescope::model
