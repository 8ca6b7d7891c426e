#pragma once

#include <string>

#include "base/json_members.hpp"
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

    static constexpr auto members = [](const auto& object, auto& params) {
      object.required("device", params.device);
    };
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// Report described in profiler/gpu/calibrate/calibration_report.hpp; null where there is none.
    Json report;

    static constexpr auto members = [](const auto& object, auto& answer) {
      object.required("status", answer.status, status_from);
      object.required("reason", answer.reason);
      object.optional("report", answer.report);
    };
  };
};

}  // namespace tilescope
