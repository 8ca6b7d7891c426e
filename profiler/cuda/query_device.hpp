#pragma once

#include <vector>

#include "profiler/devices/device_model.hpp"

namespace tilescope::cuda {

/// A GPU of this machine: what the driver knows is the driver's, the rest (tensor rates, datasheet bandwidth)
/// is that of its table where one of `tables` matches its name, and unknown (0) otherwise. `sources` says
/// which is which. Throws DriverUnavailable or CudaError.
DeviceModel query_device(int ordinal, const std::vector<DeviceModel>& tables);

/// All GPUs of this machine, in the driver's order. Throws DriverUnavailable when there is none.
std::vector<DeviceModel> query_devices(const std::vector<DeviceModel>& tables);

}  // namespace tilescope::cuda
