#pragma once

#include "profiler/requests/request.hpp"
#include "sessions/json_reader.hpp"

namespace tilescope {

/// One point: compile, check, and time or count.
struct Measure {
  static constexpr const char* name = "measure";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
  };
  using Answer = Measurement;
  static Answer failed(const Params& params, Status status, std::string reason) {
    return failed_measurement(params.experiment, status, std::move(reason));
  }
};

inline void to_json(Json& json, const Measure::Params& params) {
  json = Json{{"experiment", params.experiment}};
}
inline void from_json(const Json& json, Measure::Params& params) {
  ObjectReader(json).required("experiment", params.experiment);
}

}  // namespace tilescope
