#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/nearest_blocks.hpp"

namespace tilescope::model {

/// The work of every block of a grid [warp instructions], and the executed block that stands for it. Where all blocks were
/// executed, their lengths are known, and the one stands for a block that has a length like it. Else the work is linear
/// along x between the blocks that were executed, or grows in the steps that these show (work_steps.hpp), and the nearest
/// one stands for a block, at the same place between two steps. Blocks that take their work have
/// equal shares of it, and the one that has most stands for all.
class BlockWork {
 public:
  /// `executed_work`: by ExecutedKernel::blocks. Everything must outlive this.
  BlockWork(const ExecutedKernel& kernel, const LaunchPlan& plan, const std::vector<double>& executed_work);

  double of(std::uint64_t block) const;
  /// All of them, by block: a grid may have millions.
  std::vector<float> of_all(std::uint64_t blocks) const;
  /// Into ExecutedKernel::blocks.
  std::size_t executed(std::uint64_t block) const;

 private:
  std::size_t nearest_in_x(const std::vector<std::size_t>& blocks, std::uint64_t x) const;

  const ExecutedKernel& kernel_;
  const std::vector<double>& executed_work_;
  const std::uint64_t grid_x_;
  NearestBlocks nearest_;
  double mean_ = 0;
  /// By x, where the work of a block does not depend on y and z; else empty.
  std::vector<float> by_x_;
  /// Blocks from one step of the work to the next, 0 for none; and into ExecutedKernel::blocks, by x modulo that.
  std::uint64_t period_ = 0;
  std::vector<std::vector<std::size_t>> by_place_;
  /// Into ExecutedKernel::blocks, by their work.
  std::vector<std::size_t> by_work_;
};

}  // namespace tilescope::model
