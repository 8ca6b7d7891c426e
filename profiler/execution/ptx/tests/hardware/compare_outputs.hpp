#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {

/// Two results of one region, element by element.
struct RegionComparison {
  /// [elements]
  std::size_t compared = 0;
  /// Elements whose bits differ; two NaN are equal.
  std::size_t unequal = 0;
  /// Unequal elements beyond the tolerance.
  std::size_t outside = 0;
  /// The largest difference of two finite values.
  double worst_absolute = 0;
  /// The largest difference over the GPU's value, where the value is not 0.
  double worst_relative = 0;
  /// "at 17: 0x3f800000 (1), the GPU has 0x3f800001 (1.0000001)"; "" when none is.
  std::string first_outside;
};

/// `here` and `gpu` hold the region's `indices`, in their order; no indices: all of the region's elements.
RegionComparison compare(const Region& region, std::span<const std::byte> here,
                         std::span<const std::byte> gpu, std::span<const std::size_t> indices = {});

}  // namespace tilescope::hardware
