#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/gpu/calibrate/calibration.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "profiler/service/requests/service.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The result of a calibration, printed by `tilescope devices --calibrate --json`.
struct CalibrationReport {
  Status status = Status::ok;
  /// A sentence, "" when ok.
  std::string reason;
  /// Has the figures in `measured`; empty unless ok.
  DeviceModel device;
  /// The figures in the order in which they were measured.
  std::vector<CalibratedFigure> figures;
  std::vector<std::string> notes;
};

Json to_json_document(const CalibrationReport& report);
/// Throws DocumentError with the place.
CalibrationReport calibration_report_from(const Json& document);

/// Runs the whole plan on a present GPU. Never throws: errors of the machine are a status. `why_unusable` is set to a
/// sentence when a fault has poisoned this process's context.
CalibrationReport calibrate_device(const DeviceModel& device, const Compiler& compiler,
                                   const std::filesystem::path& kernels, const std::string& driver_version,
                                   const MeasureControl& control, std::string& why_unusable);

}  // namespace tilescope
