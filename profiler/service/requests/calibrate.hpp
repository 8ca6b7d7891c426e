#pragma once

#include <string>

#include "base/json.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// Runs the microbenchmarks on a GPU of the worker's machine.
struct Calibrate {
  static constexpr const char* name = "calibrate";
  /// Several times what it takes, compiling on a slow host included.
  static constexpr std::chrono::seconds time_limit{300};
  struct Params {
    /// "gpu:0" or its name, "" for the first.
    std::string device;
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// Report described in profiler/gpu/calibrate/calibration_report.hpp; null where there is none.
    Json report;
  };
};

void to_json(Json& json, const Calibrate::Params& params);
void from_json(const Json& json, Calibrate::Params& params);
void to_json(Json& json, const Calibrate::Answer& answer);
void from_json(const Json& json, Calibrate::Answer& answer);

}  // namespace tilescope
