#include "app/shell/present_devices.hpp"

#include <cstddef>
#include <utility>

namespace tilescope {

void add_present_devices(std::vector<DeviceModel>& devices, const Json& list) {
  const Json& entries = list.is_object() && list.contains("devices") ? list["devices"] : list;
  if (!entries.is_array()) return;
  for (const Json& entry : entries) {
    if (!entry.is_object() || !entry.contains("present") || entry["present"] != true) continue;
    DeviceModel here = device_model_from(entry);
    const DeviceModel* table = match_device(devices, here.name);
    if (table == nullptr) {
      devices.push_back(std::move(here));
      continue;
    }
    DeviceModel& device = devices[static_cast<std::size_t>(table - devices.data())];
    device.present = true;
    device.ordinal = here.ordinal;
  }
}

}  // namespace tilescope
