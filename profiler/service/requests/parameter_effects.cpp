#include "profiler/service/requests/parameter_effects.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto effects_params_members = [](const auto& object, auto& params) {
  object.required("experiment", params.experiment);
};

void to_json(Json& json, const ParameterEffects::Params& params) {
  effects_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, ParameterEffects::Params& params) {
  effects_params_members(ObjectReader(json), params);
}

constexpr auto effects_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("diagnoses", answer.diagnoses, read_list<Diagnosis>);
};

void to_json(Json& json, const ParameterEffects::Answer& answer) {
  effects_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, ParameterEffects::Answer& answer) {
  effects_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
