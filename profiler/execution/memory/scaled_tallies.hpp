#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "profiler/execution/memory/block_weights.hpp"
#include "profiler/execution/memory/memory_counter.hpp"

/// The sums of all host threads, scaled from the blocks that ran to the grid.
namespace tilescope {

/// A MemoryCounter::Tally over the blocks of all weights.
struct ScaledTally {
  double executions = 0, lanes = 0;
  /// Sectors for global memory.
  double wavefronts = 0, minimum = 0;
  /// Executions by degree; empty for global memory.
  std::map<std::size_t, double> degrees;

  void add(const MemoryCounter::Tally& tally, double weight);
  void add(const ScaledTally& other);
};

/// Exact: every block counts with its own weight. Does not depend on the number of host threads.
std::map<MemoryCounter::Subject, ScaledTally> scale(std::span<const MemoryCounter* const> counters,
                                                    const BlockWeights& weights);

/// The factor of a count that is only known as a sum over all blocks that ran; 1 where it is 0.
double growth(std::span<const MemoryCounter* const> counters, const BlockWeights& weights,
              std::uint64_t MemoryCounter::Class::*count);

}  // namespace tilescope
