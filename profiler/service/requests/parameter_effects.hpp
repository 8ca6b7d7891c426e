#pragma once

#include <string>
#include <vector>

#include "profiler/service/requests/request.hpp"
#include "sessions/diagnosis.hpp"

namespace tilescope {

/// Which parameters of an experiment have no effect: a variant for each, with another value, is compiled, nothing is run.
struct ParameterEffects {
  static constexpr const char* name = "parameter_effects";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// Diagnoses of the kind `dead_knob`; empty where every value makes another program.
    std::vector<Diagnosis> diagnoses;
  };
};

void to_json(Json& json, const ParameterEffects::Params& params);
void to_json(Json& json, const ParameterEffects::Answer& answer);
/// Reading throws DocumentError with the place.
void from_json(const Json& json, ParameterEffects::Params& params);
void from_json(const Json& json, ParameterEffects::Answer& answer);

}  // namespace tilescope
