#include "profiler/service/requests/compile_ahead.hpp"

#include "base/object_writer.hpp"
#include "profiler/service/requests/experiment_list.hpp"

namespace tilescope {

void to_json(Json& json, const CompileAhead::Params& params) {
  visit_experiments(ObjectWriter(json), params.experiments);
}

void from_json(const Json& json, CompileAhead::Params& params) {
  visit_experiments(ObjectReader(json), params.experiments);
}

constexpr auto compile_ahead_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("waiting", answer.waiting);
};

void to_json(Json& json, const CompileAhead::Answer& answer) {
  compile_ahead_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, CompileAhead::Answer& answer) {
  compile_ahead_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
