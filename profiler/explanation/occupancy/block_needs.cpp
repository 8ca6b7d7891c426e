#include "profiler/explanation/occupancy/block_needs.hpp"

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"

namespace tilescope {

namespace {

// CUDA C++ Programming Guide, technical specifications: of every compute capability since 3.5.
constexpr std::int64_t max_registers_per_thread = 255;
constexpr std::int64_t threads_per_warp = 32;

/// The threads that the declaration says, if they are as many warps as the point has; else those warps in full.
std::optional<std::int64_t> threads_of(const Measurement& point, const LaunchGeometry* declared) {
  const Occupancy& occupancy = *point.occupancy;
  if (occupancy.blocks_per_sm < 1)
    return declared != nullptr ? std::optional(declared->threads) : std::nullopt;
  const std::int64_t warps = occupancy.warps_per_sm / occupancy.blocks_per_sm;
  if (warps < 1) return std::nullopt;
  if (declared != nullptr && (declared->threads + threads_per_warp - 1) / threads_per_warp == warps)
    return declared->threads;
  return warps * threads_per_warp;
}

std::optional<LaunchGeometry> declared_geometry(const Measurement& point, const KernelDeclaration* kernel,
                                                const DeviceModel& device) {
  if (kernel == nullptr || kernel->is_launched_by_library()) return std::nullopt;
  try {
    return launch_geometry(*kernel, kernel->complete(point.parameters), point.shape, device);
  } catch (const DeclarationError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string to_words(BlockQuantity quantity) {
  switch (quantity) {
    case BlockQuantity::registers:
      return "registers per thread";
    case BlockQuantity::shared_memory:
      return "shared memory per block";
    case BlockQuantity::threads:
      return "threads per block";
  }
  return "";
}

std::string amount_words(BlockQuantity quantity, std::int64_t amount) {
  return quantity == BlockQuantity::shared_memory ? format_bytes(amount) : format_count(amount);
}

std::int64_t largest_amount(BlockQuantity quantity, const DeviceModel& device) {
  switch (quantity) {
    case BlockQuantity::registers:
      return max_registers_per_thread;
    case BlockQuantity::shared_memory:
      return device.shared_bytes_per_block_optin;
    case BlockQuantity::threads:
      return device.max_threads_per_block;
  }
  return 0;
}

std::int64_t smallest_amount(BlockQuantity quantity) {
  return quantity == BlockQuantity::shared_memory ? 0 : 1;
}

std::int64_t BlockNeeds::amount(BlockQuantity quantity) const {
  switch (quantity) {
    case BlockQuantity::registers:
      return resources.registers;
    case BlockQuantity::shared_memory:
      return resources.static_shared_bytes + geometry.dynamic_shared_bytes;
    case BlockQuantity::threads:
      return geometry.threads;
  }
  return 0;
}

BlockNeeds BlockNeeds::with(BlockQuantity quantity, std::int64_t amount) const {
  BlockNeeds changed = *this;
  switch (quantity) {
    case BlockQuantity::registers:
      changed.resources.registers = amount;
      break;
    case BlockQuantity::shared_memory:
      changed.resources.static_shared_bytes = std::min(resources.static_shared_bytes, amount);
      changed.geometry.dynamic_shared_bytes = amount - changed.resources.static_shared_bytes;
      break;
    case BlockQuantity::threads:
      changed.geometry.threads = amount;
      break;
  }
  return changed;
}

std::optional<BlockNeeds> block_needs(const Measurement& point, const KernelDeclaration* kernel,
                                      const DeviceModel& device) {
  if (!point.resources || !point.occupancy) return std::nullopt;
  const std::optional<LaunchGeometry> declared = declared_geometry(point, kernel, device);
  const std::optional<std::int64_t> threads = threads_of(point, declared ? &*declared : nullptr);
  if (!threads) return std::nullopt;
  BlockNeeds needs;
  needs.resources = *point.resources;
  if (declared) needs.geometry = *declared;
  if (!declared && point.occupancy->grid_blocks) needs.geometry.grid_x = *point.occupancy->grid_blocks;
  needs.geometry.threads = *threads;
  needs.geometry.dynamic_shared_bytes = point.resources->dynamic_shared_bytes;
  return needs;
}

std::string needs_words(const BlockNeeds& needs) {
  const auto amount = [&](BlockQuantity quantity) { return amount_words(quantity, needs.amount(quantity)); };
  return amount(BlockQuantity::registers) + " " + to_words(BlockQuantity::registers) + ", " +
         amount(BlockQuantity::shared_memory) + " of shared memory and " + amount(BlockQuantity::threads) +
         " " + to_words(BlockQuantity::threads);
}

Occupancy occupancy_of(const DeviceModel& device, const BlockNeeds& needs) {
  return occupancy(device, needs.resources, needs.geometry);
}

Occupancy occupancy_with(const DeviceModel& device, const BlockNeeds& needs, BlockQuantity quantity,
                         std::int64_t amount) {
  return occupancy_of(device, needs.with(quantity, amount));
}

std::string count_blocks(std::int64_t blocks) {
  return format_count(blocks) + (blocks == 1 ? " block" : " blocks");
}

std::string residency_words(const Occupancy& occupancy) {
  return count_blocks(occupancy.blocks_per_sm) + " per SM, " + format_count(occupancy.warps_per_sm) +
         (occupancy.warps_per_sm == 1 ? " warp, " : " warps, ") + format_percent(occupancy.fraction);
}

}  // namespace tilescope
