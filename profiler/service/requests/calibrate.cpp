#include "profiler/service/requests/calibrate.hpp"

#include "base/object_writer.hpp"

namespace tilescope {

constexpr auto calibration_params_members = [](const auto& object, auto& params) {
  object.required("device", params.device);
};

void to_json(Json& json, const Calibrate::Params& params) {
  calibration_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, Calibrate::Params& params) {
  calibration_params_members(ObjectReader(json), params);
}

constexpr Form<Json> any_document{[](const Json& json) { return json; },
                                  [](const Json& json) { return json; }};

constexpr auto calibration_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.optional("report", answer.report, any_document);
};

void to_json(Json& json, const Calibrate::Answer& answer) {
  calibration_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, Calibrate::Answer& answer) {
  calibration_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
