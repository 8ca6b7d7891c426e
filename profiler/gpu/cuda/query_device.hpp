#pragma once

#include <vector>

#include "profiler/devices/device_model.hpp"

namespace tilescope::cuda {

/// A GPU of this machine. Values that the driver knows come from the driver; the rest (tensor rates, datasheet
/// bandwidth) comes from the table in `tables` that matches its name, or is unknown (0). `sources` records where each
/// value comes from. Throws DriverUnavailable or CudaError.
DeviceModel query_device(int ordinal, const std::vector<DeviceModel>& tables);

/// All GPUs of this machine, in the driver's order. Throws DriverUnavailable when there is none.
std::vector<DeviceModel> query_devices(const std::vector<DeviceModel>& tables);

}  // namespace tilescope::cuda
