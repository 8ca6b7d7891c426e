#pragma once

#include <optional>
#include <string>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Resident blocks per SM by the toolkit's cuda_occupancy.h, on any machine, and the waves of the grid: waves = blocks
/// / (SMs * blocks per SM); the last wave is `tail_fraction` full. Throws std::runtime_error with the reason when the
/// calculator rejects its inputs. A kernel that does not fit on an SM has 0 blocks per SM, 0 waves, and the limiter
/// that is exceeded.
Occupancy occupancy(const DeviceModel& device, const Resources& resources, const LaunchGeometry& geometry);

}  // namespace tilescope
