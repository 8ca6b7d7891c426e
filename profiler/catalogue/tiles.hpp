#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// The place of a declared tile for one configuration.
struct TileRange {
  std::string name;
  /// [B] from the start of the dynamic shared memory
  std::int64_t offset = 0;
  /// [B]
  std::int64_t bytes = 0;

  bool operator==(const TileRange&) const = default;
};

/// The declared tiles of a configuration, in their order, without those of 0 bytes. Throws DeclarationError when an
/// expression cannot be evaluated, or when a tile ends after the dynamic shared memory with which the kernel is
/// launched.
std::vector<TileRange> tile_ranges(const KernelDeclaration& kernel, const Configuration& complete,
                                   const Shape& shape, const DeviceModel& device);

}  // namespace tilescope
