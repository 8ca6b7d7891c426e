#include "profiler/service/requests/calibrate.hpp"

#include "base/json_reader.hpp"

namespace tilescope {

void to_json(Json& json, const Calibrate::Params& params) {
  json = Json{{"device", params.device}};
}

void from_json(const Json& json, Calibrate::Params& params) {
  ObjectReader(json).required("device", params.device);
}

void to_json(Json& json, const Calibrate::Answer& answer) {
  json = Json{{"status", to_string(answer.status)}, {"reason", answer.reason}, {"report", answer.report}};
}

void from_json(const Json& json, Calibrate::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  if (const Json* report = object.find("report")) answer.report = *report;
}

}  // namespace tilescope
