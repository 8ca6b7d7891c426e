#include "profiler/service/requests/compare.hpp"

#include "base/json.hpp"
#include "profiler/service/requests/experiment_list.hpp"

namespace tilescope {

void to_json(Json& json, const Compare::Params& params) {
  json = Json{{"budget_s", params.budget_s}};
  write_experiments(json, params.experiments);
}

void to_json(Json& json, const Compare::Answer& answer) {
  json = Json{{"status", to_string(answer.status)}, {"reason", answer.reason}};
  if (answer.status != Status::ok) return;
  json["a"] = answer.a;
  json["b"] = answer.b;
  json["series"] = value_or_null(answer.series);
}

void from_json(const Json& json, Compare::Params& params) {
  const ObjectReader object(json);
  object.required("budget_s", params.budget_s);
  params.experiments = read_experiments(object);
  if (params.experiments.size() != 2) throw DocumentError("/experiments", "there must be two");
}

void from_json(const Json& json, Compare::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  if (answer.status != Status::ok) return;
  object.required("a", answer.a);
  object.required("b", answer.b);
  object.nullable("series", answer.series);
}

}  // namespace tilescope
