#include "profiler/service/requests/fit.hpp"

#include "base/json.hpp"
#include "profiler/service/requests/experiment_list.hpp"

namespace tilescope {
namespace {

template <typename T>
Json list_document(const std::vector<T>& elements) {
  Json list = Json::array();
  for (const T& element : elements) list.push_back(element);
  return list;
}

}  // namespace

void to_json(Json& json, const RecordedLatency& latency) {
  json = Json{{"p50_us", latency.p50_us}, {"sass_sha256", latency.sass_sha256}};
}

void to_json(Json& json, const Fit::Skipped& skipped) {
  json = Json{{"reason", skipped.reason}, {"points", skipped.points}};
}

void to_json(Json& json, const Fit::Params& params) {
  json = Json{{"device", to_json_document(params.device)},
              {"source", params.source},
              {"recorded", list_document(params.recorded)}};
  write_experiments(json, params.experiments);
}

void to_json(Json& json, const Fit::Answer& answer) {
  json = Json{{"status", to_string(answer.status)},
              {"reason", answer.reason},
              {"points", answer.points},
              {"skipped", list_document(answer.skipped)},
              {"error_before", answer.error_before},
              {"error_after", answer.error_after},
              {"device", to_json_document(answer.device)}};
}

void from_json(const Json& json, RecordedLatency& latency) {
  const ObjectReader object(json);
  object.required("p50_us", latency.p50_us);
  object.required("sass_sha256", latency.sass_sha256);
  if (!(latency.p50_us > 0)) throw DocumentError("/p50_us", "must be more than 0");
}

void from_json(const Json& json, Fit::Skipped& skipped) {
  const ObjectReader object(json);
  object.required("reason", skipped.reason);
  object.required("points", skipped.points);
}

void from_json(const Json& json, Fit::Params& params) {
  const ObjectReader object(json);
  object.required("device", params.device, device_model_from);
  object.required("source", params.source);
  object.required("recorded", params.recorded, read_list<RecordedLatency>);
  params.experiments = read_experiments(object);
  if (params.recorded.size() != params.experiments.size())
    throw DocumentError("/recorded", "has not one entry for each experiment");
}

void from_json(const Json& json, Fit::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("points", answer.points);
  object.required("skipped", answer.skipped, read_list<Fit::Skipped>);
  object.required("error_before", answer.error_before);
  object.required("error_after", answer.error_after);
  object.required("device", answer.device, device_model_from);
}

}  // namespace tilescope
