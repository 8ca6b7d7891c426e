#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Resources that a block takes of an SM and that can be changed.
enum class BlockQuantity { registers, shared_memory, threads };
inline constexpr BlockQuantity block_quantities[] = {BlockQuantity::registers, BlockQuantity::shared_memory,
                                                     BlockQuantity::threads};

/// "registers per thread", "shared memory per block", "threads per block"
std::string to_words(BlockQuantity quantity);
/// An amount with its unit: "72", "56.0 KiB (57,376 B)".
std::string amount_words(BlockQuantity quantity, std::int64_t amount);
/// The most that a block may have: 255 registers per thread, the opt-in limit of shared memory [B], the device's
/// threads per block.
std::int64_t largest_amount(BlockQuantity quantity, const DeviceModel& device);
/// The least: 1 register, 0 B, 1 thread.
std::int64_t smallest_amount(BlockQuantity quantity);

/// Resources of one block of a configuration, and its launch.
struct BlockNeeds {
  Resources resources;
  LaunchGeometry geometry;

  /// Shared memory is static and dynamic together [B].
  std::int64_t amount(BlockQuantity quantity) const;
  /// A copy with another amount of one quantity. Shared memory changes in its dynamic part first.
  BlockNeeds with(BlockQuantity quantity, std::int64_t amount) const;
};

/// The needs of a point that was compiled; nothing for others, and for kernels that a library launches. `kernel` is its
/// declaration where it is known: a point alone only says how many warps a block has, not how many threads.
std::optional<BlockNeeds> block_needs(const Measurement& point, const KernelDeclaration* kernel,
                                      const DeviceModel& device);

/// "64 registers per thread, 56.0 KiB (57,376 B) of shared memory and 256 threads per block"
std::string needs_words(const BlockNeeds& needs);

/// occupancy() of a block as it is, and with another amount of one quantity.
Occupancy occupancy_of(const DeviceModel& device, const BlockNeeds& needs);
Occupancy occupancy_with(const DeviceModel& device, const BlockNeeds& needs, BlockQuantity quantity,
                         std::int64_t amount);

/// "3 blocks per SM, 24 warps, 50.0 %"
std::string residency_words(const Occupancy& occupancy);
/// "1 block", "3 blocks"
std::string count_blocks(std::int64_t blocks);

}  // namespace tilescope
