#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// A part of a session that others may get: a session itself, with the table of its device where there is one.
struct Contribution {
  std::string device;
  Session session;
  /// Points of the device that are left out: without a latency or machine code, or of a kernel outside the catalogue.
  std::size_t left_out = 0;
};

/// The timed points of one device, "" for the one with the most, without traces of whose they are: no host, paths, options,
/// notes, logs or sources. Throws CannotRun where there is none.
Contribution contribution_of(const Session& session, const std::string& device,
                             const std::vector<DeviceModel>& tables);

/// The device's table in a contribution; none of another session. Throws UnreadableInput with the place where it cannot be read.
std::optional<DeviceModel> contributed_device(const std::filesystem::path& file);

}  // namespace tilescope
