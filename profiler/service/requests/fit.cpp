#include "profiler/service/requests/fit.hpp"

#include "base/object_writer.hpp"
#include "profiler/service/requests/experiment_list.hpp"

namespace tilescope {
namespace {

constexpr Form<DeviceModel> device_form{to_json_document, device_model_from};

}  // namespace

constexpr auto recorded_latency_members = [](const auto& object, auto& latency) {
  object.required("p50_us", latency.p50_us);
  object.required("sass_sha256", latency.sass_sha256);
};

void to_json(Json& json, const RecordedLatency& latency) {
  recorded_latency_members(ObjectWriter(json), latency);
}

void from_json(const Json& json, RecordedLatency& latency) {
  recorded_latency_members(ObjectReader(json), latency);
  if (!(latency.p50_us > 0)) throw DocumentError("/p50_us", "must be more than 0");
}

constexpr auto skipped_points_members = [](const auto& object, auto& skipped) {
  object.required("reason", skipped.reason);
  object.required("points", skipped.points);
};

void to_json(Json& json, const Fit::Skipped& skipped) {
  skipped_points_members(ObjectWriter(json), skipped);
}

void from_json(const Json& json, Fit::Skipped& skipped) {
  skipped_points_members(ObjectReader(json), skipped);
}

constexpr auto fit_params_members = [](const auto& object, auto& params) {
  object.required("device", params.device, device_form);
  object.required("source", params.source);
  object.required("recorded", params.recorded, read_list<RecordedLatency>);
  visit_experiments(object, params.experiments);
};

void to_json(Json& json, const Fit::Params& params) {
  fit_params_members(ObjectWriter(json), params);
}

void from_json(const Json& json, Fit::Params& params) {
  fit_params_members(ObjectReader(json), params);
  if (params.recorded.size() != params.experiments.size())
    throw DocumentError("/recorded", "has not one entry for each experiment");
}

constexpr auto fit_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("points", answer.points);
  object.required("skipped", answer.skipped, read_list<Fit::Skipped>);
  object.required("error_before", answer.error_before);
  object.required("error_after", answer.error_after);
  object.required("device", answer.device, device_form);
};

void to_json(Json& json, const Fit::Answer& answer) {
  fit_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, Fit::Answer& answer) {
  fit_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
