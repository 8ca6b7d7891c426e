#pragma once

#include <filesystem>

namespace tilescope {

/// Folder in which Linux lists batteries and mains adapters, a subfolder for each.
inline const std::filesystem::path power_supply_folder = "/sys/class/power_supply";

/// Whether the machine runs on its battery: one discharges, and no adapter is connected. The battery of a mouse does not
/// count. False where there is no battery, or nothing can be read. May take some milliseconds: the firmware is asked.
bool is_on_battery(const std::filesystem::path& folder = power_supply_folder);

}  // namespace tilescope
