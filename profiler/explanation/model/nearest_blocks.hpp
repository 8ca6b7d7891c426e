#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"

namespace tilescope::model {

/// Finds the executed block that stands for another one: of those nearest to it along x, the one nearest in y and z. Work
/// mostly changes along x. In a group of blocks that produce one result, those with the same number stand for each other.
class NearestBlocks {
 public:
  NearestBlocks(const ExecutedKernel& kernel, const LaunchPlan& plan);

  /// Into ExecutedKernel::blocks.
  std::size_t find(std::uint64_t block) const;
  /// No two blocks with one x were executed.
  bool has_one_row_a_column() const;

 private:
  struct Known {
    std::uint64_t x = 0;
    /// y + grid.y * z
    std::uint64_t row = 0;
    std::size_t executed = 0;
  };
  /// Known blocks with one x.
  using Column = std::span<const Known>;

  std::uint64_t played_by(std::uint64_t block) const;

  const std::uint64_t grid_x_, group_;
  std::vector<Known> known_;
  /// By the number in a group, in the order of x: those with that number, or all if there are none.
  std::vector<std::vector<Column>> columns_;
};

}  // namespace tilescope::model
