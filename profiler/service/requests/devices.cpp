#include "profiler/service/requests/devices.hpp"

#include "base/object_writer.hpp"

namespace tilescope {
namespace {

constexpr auto library_members = [](const auto& object, auto& library) {
  object.required("library", library.name);
  object.optional("version", library.version);
  object.optional("why_absent", library.why_absent, even_empty);
};

Json models_to_json(const std::vector<DeviceModel>& models) {
  Json list = Json::array();
  for (const DeviceModel& device : models) list.push_back(to_json_document(device));
  return list;
}

std::vector<DeviceModel> models_from(const Json& list) {
  if (!list.is_array()) throw std::invalid_argument("expected a list of devices");
  std::vector<DeviceModel> models;
  for (const Json& entry : list) models.push_back(device_model_from(entry));
  return models;
}

constexpr Form<std::vector<DeviceModel>> models_form{models_to_json, models_from};

}  // namespace

void to_json(Json& json, const Devices::Params&) {
  json = Json::object();
}

void from_json(const Json&, Devices::Params&) {}

constexpr auto devices_answer_members = [](const auto& object, auto& answer) {
  object.required("status", answer.status, status_from);
  object.required("reason", answer.reason);
  object.required("present", answer.present, models_form);
  object.required("why_no_gpu", answer.why_no_gpu);
  object.required("driver", answer.driver);
  object.required("compiler", answer.compiler, form_of<library_members, Devices::Library>);
  object.required("counters", answer.counters, form_of<library_members, Devices::Library>);
};

void to_json(Json& json, const Devices::Answer& answer) {
  devices_answer_members(ObjectWriter(json), answer);
}

void from_json(const Json& json, Devices::Answer& answer) {
  devices_answer_members(ObjectReader(json), answer);
}

}  // namespace tilescope
