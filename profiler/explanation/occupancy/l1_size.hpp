#pragma once

#include <cstdint>

#include "profiler/devices/device_model.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// [B] Memory of an SM that `resident` blocks of a kernel leave for L1.
double l1_bytes(const DeviceModel& device, const Resources& resources, std::int64_t dynamic_shared_bytes,
                std::int64_t resident);

}  // namespace tilescope
