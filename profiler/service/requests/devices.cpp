#include "profiler/service/requests/devices.hpp"

#include "base/json_reader.hpp"

namespace tilescope {
namespace {

Json library_to_json(const Devices::Library& library) {
  return {{"library", library.name},
          {"version", text_or_null(library.version)},
          {"why_absent", library.why_absent}};
}

Devices::Library library_from(const Json& json) {
  const ObjectReader object(json);
  Devices::Library library;
  object.required("library", library.name);
  object.optional("version", library.version);
  object.optional("why_absent", library.why_absent);
  return library;
}

std::vector<DeviceModel> models_from(const Json& list) {
  if (!list.is_array()) throw std::invalid_argument("expected a list of devices");
  std::vector<DeviceModel> models;
  for (const Json& entry : list) models.push_back(device_model_from(entry));
  return models;
}

}  // namespace

void to_json(Json& json, const Devices::Params&) {
  json = Json::object();
}

void from_json(const Json&, Devices::Params&) {}

void to_json(Json& json, const Devices::Answer& answer) {
  Json present = Json::array();
  for (const DeviceModel& device : answer.present) present.push_back(to_json_document(device));
  json = Json{{"status", to_string(answer.status)},
              {"reason", answer.reason},
              {"present", std::move(present)},
              {"why_no_gpu", answer.why_no_gpu},
              {"driver", answer.driver},
              {"compiler", library_to_json(answer.compiler)},
              {"counters", library_to_json(answer.counters)}};
}

void from_json(const Json& json, Devices::Answer& answer) {
  const ObjectReader object(json);
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("present", answer.present, models_from);
  object.required("why_no_gpu", answer.why_no_gpu);
  object.required("driver", answer.driver);
  object.required("compiler", answer.compiler, library_from);
  object.required("counters", answer.counters, library_from);
}

}  // namespace tilescope
