#pragma once

#include "base/json.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// The catalogue of the worker's machine.
struct Kernels {
  static constexpr const char* name = "kernels";
  static constexpr std::chrono::seconds time_limit{60};
  struct Params {};
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// As `tilescope kernels --json` prints it.
    Json catalogue;
  };
};

void to_json(Json& json, const Kernels::Params& params);
void from_json(const Json& json, Kernels::Params& params);
void to_json(Json& json, const Kernels::Answer& answer);
void from_json(const Json& json, Kernels::Answer& answer);

}  // namespace tilescope
