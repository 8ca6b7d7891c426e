#include "profiler/requests/compile_ahead.hpp"

#include "sessions/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const CompileAhead::Params& params) {
  json = Json{{"experiments", params.experiments}};
}

void to_json(Json& json, const CompileAhead::Answer& answer) {
  json = Json{{"status", to_string(answer.status)}, {"reason", answer.reason}, {"waiting", answer.waiting}};
}

void from_json(const Json& json, CompileAhead::Params& params) {
  ObjectReader(json).required("experiments", params.experiments, read_list<Experiment>);
}

void from_json(const Json& json, CompileAhead::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("waiting", answer.waiting);
}

}  // namespace tilescope
