#pragma once

#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// The device for a name: a GPU of this machine by its table's or the driver's name or as "gpu:0", else a device of the
/// tables; "" is the first GPU of this machine, or the L4 without one. Ignores case. Throws UnknownName with the
/// known names that are near.
const DeviceModel& choose_device(const std::string& name, const std::vector<DeviceModel>& here,
                                 const std::vector<DeviceModel>& tables);

/// The default device without a GPU: the one that Tilescope aims at first.
inline constexpr const char* default_table_device = "L4";

}  // namespace tilescope
