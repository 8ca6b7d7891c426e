#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/explanation/occupancy/block_needs.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

/// A stretch of a curve: amounts `first` to `last`, both included, for which an SM holds the same warps for the same
/// reason.
struct CliffStep {
  std::int64_t first = 0;
  std::int64_t last = 0;
  Occupancy occupancy;
};

/// Resident warps against one quantity of the block, the other two as they are: a curve of steps.
struct Cliff {
  BlockQuantity quantity = BlockQuantity::registers;
  /// Amount that the block has. It may exceed the device's limit: then it is on no step.
  std::int64_t amount = 0;
  /// Ascending, from smallest_amount to largest_amount without a gap.
  std::vector<CliffStep> steps;

  /// The step of an amount, steps.size() where it lies outside.
  std::size_t find(std::int64_t at) const;
};

/// The curves of a block on a device, in the order of block_quantities, exact by the toolkit's calculator.
std::array<Cliff, 3> occupancy_cliffs(const DeviceModel& device, const BlockNeeds& needs);

/// "1 to 40 registers per thread", "50,177 to 101,376 B of shared memory per block"
std::string step_heading(const Cliff& cliff, const CliffStep& step);
/// The figures of a step for a tooltip.
std::vector<TextPair> step_tooltip(const CliffStep& step);
/// "limited by registers"; of a step without a block "the block does not fit on an SM: registers".
std::string step_words(const Occupancy& occupancy);

/// A line for each step: quantity, first, last, blocks per SM, warps per SM, occupancy, limiter, whether the block is
/// on it.
std::string cliffs_csv(const std::array<Cliff, 3>& cliffs);

}  // namespace tilescope
