#include "profiler/service/requests/compile_ahead.hpp"

#include "base/json.hpp"
#include "profiler/service/requests/experiment_list.hpp"

namespace tilescope {

void to_json(Json& json, const CompileAhead::Params& params) {
  json = Json::object();
  write_experiments(json, params.experiments);
}

void to_json(Json& json, const CompileAhead::Answer& answer) {
  json = Json{{"status", to_string(answer.status)}, {"reason", answer.reason}, {"waiting", answer.waiting}};
}

void from_json(const Json& json, CompileAhead::Params& params) {
  params.experiments = read_experiments(ObjectReader(json));
}

void from_json(const Json& json, CompileAhead::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("waiting", answer.waiting);
}

}  // namespace tilescope
