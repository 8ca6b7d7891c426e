#include "profiler/service/requests/kernels.hpp"

#include "base/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const Kernels::Params&) {
  json = Json::object();
}

void from_json(const Json&, Kernels::Params&) {}

void to_json(Json& json, const Kernels::Answer& answer) {
  json =
      Json{{"status", to_string(answer.status)}, {"reason", answer.reason}, {"catalogue", answer.catalogue}};
}

void from_json(const Json& json, Kernels::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  answer.catalogue = object.find_required("catalogue");
}

}  // namespace tilescope
