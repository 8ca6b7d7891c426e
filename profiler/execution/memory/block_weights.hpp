#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profiler/execution/memory/trace.hpp"

namespace tilescope {

/// The weights of the blocks that run, in classes of equal weight. Counts stay integers in each class until the end, so
/// that sums do not depend on which host thread ran which block.
class BlockWeights {
 public:
  /// Without blocks the whole grid has weight 1.
  explicit BlockWeights(const std::vector<SampledBlock>& blocks) {
    for (const SampledBlock& block : blocks) {
      std::size_t found = 0;
      while (found < weights_.size() && weights_[found] != block.weight) ++found;
      if (found == weights_.size()) weights_.push_back(block.weight);
      class_of_.emplace(block.index, found);
    }
    if (weights_.empty()) weights_.push_back(1);
  }

  std::size_t class_of(std::uint64_t block) const {
    const auto found = class_of_.find(block);
    return found == class_of_.end() ? 0 : found->second;
  }
  /// By class.
  const std::vector<double>& weights() const { return weights_; }

 private:
  std::vector<double> weights_;
  std::unordered_map<std::uint64_t, std::size_t> class_of_;
};

}  // namespace tilescope
