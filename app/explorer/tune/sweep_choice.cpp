#include "app/explorer/tune/sweep_choice.hpp"

#include <algorithm>
#include <utility>

#include "base/json.hpp"

namespace tilescope {

const SweepChoice::Parameter* SweepChoice::find(const std::string& kernel,
                                                const std::string& parameter) const {
  const auto parameters = kernels_.find(kernel);
  if (parameters == kernels_.end()) return nullptr;
  const auto found = parameters->second.find(parameter);
  return found == parameters->second.end() ? nullptr : &found->second;
}

bool SweepChoice::is_swept(const std::string& kernel, const std::string& parameter) const {
  const Parameter* chosen = find(kernel, parameter);
  return chosen != nullptr && chosen->swept;
}

void SweepChoice::toggle(const std::string& kernel, const std::string& parameter) {
  Parameter& chosen = kernels_[kernel][parameter];
  chosen.swept = !chosen.swept;
}

bool SweepChoice::has_value(const std::string& kernel, const std::string& parameter,
                            const ParameterValue& value) const {
  const Parameter* chosen = find(kernel, parameter);
  if (chosen == nullptr) return true;
  return std::find(chosen->left_out.begin(), chosen->left_out.end(), value) == chosen->left_out.end();
}

void SweepChoice::toggle_value(const std::string& kernel, const std::string& parameter,
                               const ParameterValue& value) {
  std::vector<ParameterValue>& left_out = kernels_[kernel][parameter].left_out;
  if (std::erase(left_out, value) == 0) left_out.push_back(value);
}

void SweepChoice::choose_all(const std::string& kernel, const std::string& parameter) {
  kernels_[kernel][parameter].left_out.clear();
}

void SweepChoice::choose_none(const std::string& kernel, const ParameterDeclaration& parameter) {
  kernels_[kernel][parameter.name].left_out = parameter.values;
}

std::vector<ParameterValue> SweepChoice::values_of(const std::string& kernel,
                                                   const ParameterDeclaration& parameter) const {
  std::vector<ParameterValue> values;
  for (const ParameterValue& value : parameter.values) {
    if (has_value(kernel, parameter.name, value)) values.push_back(value);
  }
  return values;
}

SweptParameters SweepChoice::swept_of(const KernelDeclaration& kernel) const {
  SweptParameters swept;
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    if (!is_swept(kernel.name, parameter.name)) continue;
    std::vector<ParameterValue> values = values_of(kernel.name, parameter);
    if (values.empty()) return {};
    swept.emplace_back(parameter.name, std::move(values));
  }
  return swept;
}

std::string SweepChoice::without_value(const KernelDeclaration& kernel) const {
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    if (is_swept(kernel.name, parameter.name) && values_of(kernel.name, parameter).empty())
      return parameter.name;
  }
  return "";
}

void to_json(Json& json, const SweepChoice& choice) {
  json = Json::object();
  for (const auto& [kernel, parameters] : choice.kernels_) {
    for (const auto& [name, parameter] : parameters)
      json[kernel][name] = {{"swept", parameter.swept}, {"left_out", parameter.left_out}};
  }
}

void from_json(const Json& json, SweepChoice& choice) {
  choice = SweepChoice();
  if (!json.is_object()) return;
  for (const auto& [kernel, parameters] : json.items()) {
    if (!parameters.is_object()) continue;
    for (const auto& [name, chosen] : parameters.items()) {
      SweepChoice::Parameter parameter;
      try {
        parameter.swept = chosen.at("swept").get<bool>();
        parameter.left_out = chosen.at("left_out").get<std::vector<ParameterValue>>();
      } catch (const Json::exception&) {
        continue;
      }
      choice.kernels_[kernel][name] = std::move(parameter);
    }
  }
}

}  // namespace tilescope
