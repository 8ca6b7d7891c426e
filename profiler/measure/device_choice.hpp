#pragma once

#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// The device that a name means: a GPU here by its table's or the driver's name or as "gpu:0", else a
/// table's; "" is the first GPU here, without one the L4. Upper and lower case are the same. Throws
/// UnknownName with the nearest right names.
const DeviceModel& choose_device(const std::string& name, const std::vector<DeviceModel>& here,
                                 const std::vector<DeviceModel>& tables);

/// The device without a GPU and without a wish: the one that Tilescope aims at first.
inline constexpr const char* default_table_device = "L4";

}  // namespace tilescope
