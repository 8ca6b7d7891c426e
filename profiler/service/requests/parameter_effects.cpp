#include "profiler/service/requests/parameter_effects.hpp"

#include "base/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const ParameterEffects::Params& params) {
  json = Json{{"experiment", params.experiment}};
}

void to_json(Json& json, const ParameterEffects::Answer& answer) {
  json =
      Json{{"status", to_string(answer.status)}, {"reason", answer.reason}, {"diagnoses", answer.diagnoses}};
}

void from_json(const Json& json, ParameterEffects::Params& params) {
  ObjectReader(json).required("experiment", params.experiment);
}

void from_json(const Json& json, ParameterEffects::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("diagnoses", answer.diagnoses, read_list<Diagnosis>);
}

}  // namespace tilescope
