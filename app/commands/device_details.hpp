#pragma once

#include <cstddef>
#include <string>

#include "base/json_fwd.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// Output of `tilescope devices --show`: every number of a device with its unit and its source, grouped by
/// origin. `width`: of the output [characters].
std::string device_text(const DeviceModel& device, std::size_t width);

/// {"device": the device as `tilescope devices --json` lists it, "parameters": [{name, value, unit, source}]}, where
/// the parameters are the latency model's.
Json device_document(const DeviceModel& device);

/// Five digits, thousands grouped: "4.01", "0.05", "62,914,560".
std::string figure_number(double value);

}  // namespace tilescope
