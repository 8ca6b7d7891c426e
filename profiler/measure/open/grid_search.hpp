#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "profiler/execution/simt/block.hpp"

namespace tilescope {

struct FoundGrid {
  simt::Dimensions grid{1, 1, 1};
  /// A phrase.
  std::string reason;
  /// Blocks beyond it store nothing, along each axis.
  bool has_end = false;
};

/// Axes of the grid beyond x that the kernel reads.
struct GridAxes {
  bool y = false, z = false;
};

/// The least grid behind which no block stores anything: kernels with a guard leave blocks beyond their sizes idle.
/// `stores`: whether a block of a grid, by its linear index, stores to global memory. A kernel without a guard gets a few
/// blocks along the axis.
FoundGrid find_grid(const GridAxes& axes,
                    const std::function<bool(const simt::Dimensions& grid, std::uint64_t block)>& stores);

}  // namespace tilescope
