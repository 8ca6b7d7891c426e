#include "profiler/measure/prepare/device_choice.hpp"

#include <strings.h>

#include <algorithm>

#include "profiler/kernels/catalogue/catalogue.hpp"

namespace tilescope {
namespace {

bool same(const std::string& a, const std::string& b) {
  return strcasecmp(a.c_str(), b.c_str()) == 0;
}

bool answers_to(const DeviceModel& device, const std::string& name) {
  const auto is_name = [&](const std::string& alias) { return same(alias, name); };
  return same(device.name, name) || std::any_of(device.aliases.begin(), device.aliases.end(), is_name) ||
         (device.present && same("gpu:" + std::to_string(device.ordinal), name));
}

}  // namespace

const DeviceModel& choose_device(const std::string& name, const std::vector<DeviceModel>& here,
                                 const std::vector<DeviceModel>& tables) {
  if (name.empty() && !here.empty()) return here.front();
  const std::string wanted = name.empty() ? default_table_device : name;
  std::vector<std::string> names;
  for (const std::vector<DeviceModel>* list : {&here, &tables}) {
    for (const DeviceModel& device : *list) {
      if (answers_to(device, wanted)) return device;
      if (std::find(names.begin(), names.end(), device.name) == names.end()) names.push_back(device.name);
    }
  }
  const std::string sentence = "there is no device '" + wanted + "'";
  const std::string suggested = suggest_names(sentence, wanted, names);
  throw UnknownName(suggested == sentence ? sentence + "; choose one of `tilescope devices`" : suggested);
}

}  // namespace tilescope
