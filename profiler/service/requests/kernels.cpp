#include "profiler/service/requests/kernels.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

void to_json(Json& json, const Kernels::Params&) {
  json = Json::object();
}

void from_json(const Json&, Kernels::Params&) {}

constexpr auto kernels_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("catalogue", answer.catalogue);
};

void to_json(Json& json, const Kernels::Answer& answer) {
  kernels_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, Kernels::Answer& answer) {
  kernels_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
