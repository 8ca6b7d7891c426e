#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"
#include "profiler/service/requests/fit.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// How many points with a latency a session has of each device, by its name in the tables where it has one there.
std::map<std::string, std::size_t> timed_points(const Session& session,
                                                const std::vector<DeviceModel>& tables);

/// The device with the most points, "" where there is none.
std::string most_frequent(const std::map<std::string, std::size_t>& points);

/// The points of a session to which a device is fitted.
struct FitPoints {
  std::vector<Experiment> experiments;
  std::vector<RecordedLatency> recorded;
  /// Points of the device without recorded machine code: a library's kernel, or imported.
  std::size_t without_code = 0;
};

/// Points of a device with a latency, the newest of each configuration. A point whose kernel has another source now
/// carries the recorded one, where the session has it.
FitPoints fit_points(const Session& session, const DeviceModel& device,
                     const std::vector<DeviceModel>& tables, const Installation& installation);

}  // namespace tilescope
