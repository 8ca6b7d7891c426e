#include "profiler/explanation/occupancy/occupancy.hpp"

// The toolkit's calculator is a header of C++ inline functions that also compiles without cuda_runtime.h.
#include <cuda_occupancy.h>

#include <cmath>
#include <stdexcept>
#include <utility>

namespace tilescope {
namespace {

cudaOccDeviceProp device_properties(const DeviceModel& device) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.compute_major;
  properties.computeMinor = device.compute_minor;
  properties.maxThreadsPerBlock = static_cast<int>(device.max_threads_per_block);
  properties.maxThreadsPerMultiprocessor = static_cast<int>(device.max_threads_per_sm);
  properties.regsPerBlock = static_cast<int>(device.registers_per_block);
  properties.regsPerMultiprocessor = static_cast<int>(device.registers_per_sm);
  properties.warpSize = 32;
  properties.sharedMemPerBlock = static_cast<std::size_t>(device.shared_bytes_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<std::size_t>(device.shared_bytes_per_sm);
  properties.numSms = static_cast<int>(device.sm_count);
  properties.sharedMemPerBlockOptin = static_cast<std::size_t>(device.shared_bytes_per_block_optin);
  properties.reservedSharedMemPerBlock = static_cast<std::size_t>(device.reserved_shared_bytes_per_block);
  return properties;
}

cudaOccFuncAttributes function_attributes(const DeviceModel& device, const Resources& resources) {
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = static_cast<int>(device.max_threads_per_block);
  attributes.numRegs = static_cast<int>(resources.registers);
  attributes.sharedSizeBytes = static_cast<std::size_t>(resources.static_shared_bytes);
  // The launch sets MAX_DYNAMIC_SHARED_SIZE_BYTES, so the opt-in limit applies.
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = static_cast<std::size_t>(device.shared_bytes_per_block_optin);
  attributes.numBlockBarriers = 1;
  return attributes;
}

// The resources that limit: several may at once, and the one that the user can change is named first. Where the SM is full
// of warps, changing another one gains nothing.
std::vector<Limiter> limiters_of(unsigned factors, bool is_full_of_warps) {
  if (is_full_of_warps) return {Limiter::warps};
  std::vector<Limiter> limiters;
  if ((factors & OCC_LIMIT_SHARED_MEMORY) != 0) limiters.push_back(Limiter::shared_memory);
  if ((factors & OCC_LIMIT_REGISTERS) != 0) limiters.push_back(Limiter::registers);
  if ((factors & OCC_LIMIT_WARPS) != 0) limiters.push_back(Limiter::warps);
  if ((factors & OCC_LIMIT_BLOCKS) != 0 || limiters.empty()) limiters.push_back(Limiter::blocks);
  return limiters;
}

}  // namespace

Occupancy occupancy(const DeviceModel& device, const Resources& resources, const LaunchGeometry& geometry) {
  const cudaOccDeviceProp properties = device_properties(device);
  const cudaOccFuncAttributes attributes = function_attributes(device, resources);
  const cudaOccDeviceState state;
  cudaOccResult result;
  const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, &properties, &attributes, &state, static_cast<int>(geometry.threads),
      static_cast<std::size_t>(geometry.dynamic_shared_bytes));
  if (error != CUDA_OCC_SUCCESS) {
    throw std::runtime_error("cuda_occupancy.h rejects the properties of " + device.name + " (error " +
                             std::to_string(static_cast<int>(error)) + "): compute capability " +
                             std::to_string(device.compute_major) + "." +
                             std::to_string(device.compute_minor) + ", " + std::to_string(geometry.threads) +
                             " threads, " + std::to_string(geometry.dynamic_shared_bytes) +
                             " B of shared memory");
  }
  Occupancy occupancy;
  const std::int64_t warps_per_block = (geometry.threads + 31) / 32;
  occupancy.blocks_per_sm = result.activeBlocksPerMultiprocessor;
  occupancy.warps_per_sm = occupancy.blocks_per_sm * warps_per_block;
  occupancy.fraction =
      static_cast<double>(occupancy.warps_per_sm) / static_cast<double>(device.max_warps_per_sm);
  std::vector<Limiter> limiters = limiters_of(result.limitingFactors, is_full(occupancy));
  occupancy.limiter = limiters.front();
  limiters.erase(limiters.begin());
  occupancy.also_limited_by = std::move(limiters);
  occupancy.grid_blocks = geometry.blocks();
  const auto slots = static_cast<double>(device.sm_count * occupancy.blocks_per_sm);
  if (slots > 0) {
    occupancy.waves = static_cast<double>(geometry.blocks()) / slots;
    const double last = occupancy.waves - std::floor(occupancy.waves);
    occupancy.tail_fraction = last > 0 ? last : 1;
  }
  return occupancy;
}

}  // namespace tilescope
