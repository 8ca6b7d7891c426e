#pragma once

#include <span>
#include <vector>

#include "profiler/execution/simt/interpreter.hpp"

namespace tilescope {

class BlockWeights;
class MemoryCounter;

/// Counts of all executions of an instruction, scaled to the grid.
struct InstructionCounts {
  /// By warps, with any lane or none whose guard is true.
  double executions = 0;
  /// Active lanes, summed; and the active lanes whose guard was true.
  double threads = 0, threads_on = 0;
  double shared_wavefronts = 0, shared_wavefronts_minimum = 0;
  double global_sectors = 0, global_sectors_minimum = 0;
};

/// By index into Program::code. Executions and threads, which are known as sums over the blocks that ran, are scaled by
/// the factor of all warp instructions; wavefronts and sectors by each block's own weight, as in MemoryCounts.
std::vector<InstructionCounts> count_instructions(const simt::Program& program, const simt::RunResult& run,
                                                  std::span<const MemoryCounter* const> counters,
                                                  const BlockWeights& weights);

}  // namespace tilescope
