#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/kernels/catalogue/tiles.hpp"

namespace tilescope {

/// A layout that a kernel itself has: what one of its tiles is under another value of one parameter.
struct KernelLayout {
  std::string parameter;
  ParameterValue value;
  /// With its layout, and its offset from the start of the block's shared memory.
  TileRange tile;
  /// [B] of the whole block, static arrays included
  std::int64_t shared_bytes = 0;
};

/// The valid configurations that differ from `complete` in one parameter and in which the tile has the same rows,
/// columns and elements in other places, in the order of the declaration. Empty for a tile without a layout.
/// `tile.offset` and the results' count from the start of the block's shared memory, of which static arrays take the
/// first `static_shared_bytes`.
std::vector<KernelLayout> kernel_layouts(const KernelDeclaration& kernel, const Configuration& complete,
                                         const Shape& shape, const DeviceModel& device, const TileRange& tile,
                                         std::int64_t static_shared_bytes);

}  // namespace tilescope
