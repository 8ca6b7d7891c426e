#pragma once

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "profiler/explanation/occupancy/block_needs.hpp"

namespace tilescope::test_support {

inline std::vector<DeviceModel> shipped_tables() {
  return load_device_tables(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "assets/devices");
}

inline BlockNeeds make_needs(std::int64_t registers, std::int64_t static_bytes, std::int64_t dynamic_bytes,
                             std::int64_t threads) {
  BlockNeeds needs;
  needs.resources.registers = registers;
  needs.resources.static_shared_bytes = static_bytes;
  needs.resources.dynamic_shared_bytes = dynamic_bytes;
  needs.geometry.grid_x = 1000;
  needs.geometry.threads = threads;
  needs.geometry.dynamic_shared_bytes = dynamic_bytes;
  return needs;
}

/// Blocks of any size that the device's limits allow, not only multiples of a warp.
inline BlockNeeds random_needs(std::mt19937& random, const DeviceModel& device) {
  const auto up_to = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  const std::int64_t shared = up_to(0, device.shared_bytes_per_block_optin);
  const std::int64_t static_bytes = up_to(0, std::min<std::int64_t>(shared, device.shared_bytes_per_block));
  return make_needs(up_to(1, 255), static_bytes, shared - static_bytes,
                    up_to(1, device.max_threads_per_block));
}

}  // namespace tilescope::test_support
