#pragma once

#include <vector>

#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// Marks those devices of the tables that the worker says are in its machine, and appends present ones
/// without a table. `list` is the worker's answer to `devices`. Throws DocumentError when an entry is no
/// device.
void add_present_devices(std::vector<DeviceModel>& devices, const Json& list);

}  // namespace tilescope
