#pragma once

#include <cstdint>

namespace tilescope {

/// How many blocks and threads a kernel is launched with.
struct LaunchGeometry {
  /// Blocks.
  std::int64_t grid_x = 1, grid_y = 1, grid_z = 1;
  /// Per block.
  std::int64_t threads = 1;
  /// [B] per block
  std::int64_t dynamic_shared_bytes = 0;
  /// Blocks along x that produce one result; divides grid_x.
  std::int64_t block_group = 1;

  std::int64_t blocks() const { return grid_x * grid_y * grid_z; }
};

}  // namespace tilescope
