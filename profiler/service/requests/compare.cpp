#include "profiler/service/requests/compare.hpp"

#include "base/object_writer.hpp"
#include "profiler/service/requests/experiment_list.hpp"

namespace tilescope {

constexpr auto compare_params_members = [](const auto& object, auto& params) {
  object.required("budget_s", params.budget_s);
  visit_experiments(object, params.experiments);
};

void to_json(Json& json, const Compare::Params& params) {
  compare_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, Compare::Params& params) {
  compare_params_members(ObjectReader(json), params);
  if (params.experiments.size() != 2) throw DocumentError("/experiments", "there must be two");
}

constexpr auto compare_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  if (answer.status != Status::ok) return;
  object.required("a", answer.a);
  object.required("b", answer.b);
  object.nullable("series", answer.series);
};

void to_json(Json& json, const Compare::Answer& answer) {
  compare_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, Compare::Answer& answer) {
  compare_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
