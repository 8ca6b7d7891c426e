#include "profiler/explanation/diagnose/parameter_change.hpp"

#include <algorithm>
#include <cctype>

#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

bool is_about_layout(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  for (const char* word : {"layout", "swizzle", "pad"}) {
    if (name.find(word) != std::string::npos) return true;
  }
  return false;
}

bool is_name(const ParameterValue& value) {
  return std::holds_alternative<std::string>(value);
}

bool is_switch(const ParameterDeclaration& parameter) {
  return std::all_of(parameter.values.begin(), parameter.values.end(), [](const ParameterValue& value) {
    return value == ParameterValue(std::int64_t{0}) || value == ParameterValue(std::int64_t{1});
  });
}

// The declared numbers right below and right above `value`.
std::vector<ParameterValue> neighbours(const ParameterDeclaration& parameter, const ParameterValue& value) {
  const std::int64_t* here = std::get_if<std::int64_t>(&value);
  if (here == nullptr) return {};
  std::optional<std::int64_t> below, above;
  for (const ParameterValue& declared : parameter.values) {
    const std::int64_t* number = std::get_if<std::int64_t>(&declared);
    if (number == nullptr) continue;
    if (*number < *here) below = std::max(below.value_or(*number), *number);
    if (*number > *here) above = std::min(above.value_or(*number), *number);
  }
  std::vector<ParameterValue> values;
  if (below) values.emplace_back(*below);
  if (above) values.emplace_back(*above);
  return values;
}

}  // namespace

std::string to_string(const ParameterChange& change) {
  return change.parameter + "=" + to_string(change.value);
}

ChangeKind kind_of(const ParameterDeclaration& parameter) {
  const auto names_a_layout = [](const ParameterValue& value) {
    return is_name(value) && is_about_layout(to_string(value));
  };
  if (is_about_layout(parameter.name) ||
      std::any_of(parameter.values.begin(), parameter.values.end(), names_a_layout)) {
    return ChangeKind::layout;
  }
  const bool has_names = std::any_of(parameter.values.begin(), parameter.values.end(), is_name);
  return has_names || is_switch(parameter) ? ChangeKind::choice : ChangeKind::step;
}

std::vector<ParameterChange> find_changes(const Measurement& point, const KernelDeclaration& kernel,
                                          const DeviceModel* device, const std::vector<ChangeKind>& kinds,
                                          std::size_t limit) {
  std::vector<ParameterChange> changes;
  const Configuration here = kernel.complete(point.parameters);
  const auto try_value = [&](const ParameterDeclaration& parameter, const ParameterValue& value) {
    if (changes.size() == limit || value == here.at(parameter.name)) return;
    Configuration there = here;
    there[parameter.name] = value;
    if (device != nullptr && !why_invalid(kernel, there, point.shape, *device).empty()) return;
    changes.push_back({parameter.name, value});
  };
  for (const ChangeKind kind : kinds) {
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      if (kind_of(parameter) != kind) continue;
      const bool by_steps = kind == ChangeKind::step;
      for (const ParameterValue& value :
           by_steps ? neighbours(parameter, here.at(parameter.name)) : parameter.values) {
        try_value(parameter, value);
      }
    }
  }
  return changes;
}

Experiment with_change(const Measurement& point, const ParameterChange& change) {
  Experiment experiment = experiment_of(point);
  experiment.parameters[change.parameter] = change.value;
  return experiment;
}

}  // namespace tilescope
