#pragma once

#include "base/json_members.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// The catalogue of the worker's machine.
struct Kernels {
  static constexpr const char* name = "kernels";
  static constexpr std::chrono::seconds time_limit{60};
  struct Params {
    static constexpr auto members = [](const auto&, auto&) {};
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// As `tilescope kernels --json` prints it.
    Json catalogue;

    static constexpr auto members = [](const auto& object, auto& answer) {
      object.required("status", answer.status, status_from);
      object.required("reason", answer.reason);
      object.required("catalogue", answer.catalogue);
    };
  };
};

}  // namespace tilescope
