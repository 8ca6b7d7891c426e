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

bool is_valid(const ChangedPoint& changed, const ParameterChange& change) {
  if (changed.device == nullptr) return true;
  Configuration there = changed.kernel.complete(changed.point.parameters);
  there[change.parameter] = change.value;
  return why_invalid(changed.kernel, there, changed.point.shape, *changed.device).empty();
}

// The declared numbers on one side of `from`, the nearest first.
std::vector<std::int64_t> numbers_beyond(const ParameterDeclaration& parameter, std::int64_t from,
                                         bool upwards) {
  std::vector<std::int64_t> numbers;
  for (const ParameterValue& declared : parameter.values) {
    const std::int64_t* number = std::get_if<std::int64_t>(&declared);
    if (number != nullptr && (upwards ? *number > from : *number < from)) numbers.push_back(*number);
  }
  std::ranges::sort(numbers);
  if (!upwards) std::ranges::reverse(numbers);
  return numbers;
}

std::optional<ParameterChange> next_step(const ChangedPoint& changed, const ParameterDeclaration& parameter,
                                         std::int64_t from, bool upwards) {
  for (const std::int64_t number : numbers_beyond(parameter, from, upwards)) {
    ParameterChange change{parameter.name, number};
    if (is_valid(changed, change)) return change;
  }
  return std::nullopt;
}

const std::int64_t* number_of(const Configuration& parameters, const std::string& name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
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

std::vector<ParameterChange> changes_of(const ChangedPoint& changed, const ParameterDeclaration& parameter) {
  const Configuration here = changed.kernel.complete(changed.point.parameters);
  std::vector<ParameterChange> changes;
  if (kind_of(parameter) == ChangeKind::step) {
    const std::int64_t* number = number_of(here, parameter.name);
    for (const bool upwards : {true, false}) {
      if (number == nullptr) break;
      if (auto change = next_step(changed, parameter, *number, upwards))
        changes.push_back(*std::move(change));
    }
    return changes;
  }
  for (const ParameterValue& value : parameter.values) {
    ParameterChange change{parameter.name, value};
    if (value != here.at(parameter.name) && is_valid(changed, change)) changes.push_back(std::move(change));
  }
  return changes;
}

std::optional<ParameterChange> step_beyond(const ChangedPoint& changed, const ParameterChange& change) {
  const ParameterDeclaration* parameter = changed.kernel.find_parameter(change.parameter);
  const Configuration here = changed.kernel.complete(changed.point.parameters);
  const std::int64_t* from = number_of(here, change.parameter);
  const std::int64_t* reached = std::get_if<std::int64_t>(&change.value);
  if (parameter == nullptr || kind_of(*parameter) != ChangeKind::step || from == nullptr ||
      reached == nullptr)
    return std::nullopt;
  return next_step(changed, *parameter, *reached, *reached > *from);
}

Experiment with_change(const Measurement& point, const ParameterChange& change) {
  Experiment experiment = experiment_of(point);
  experiment.parameters[change.parameter] = change.value;
  return experiment;
}

}  // namespace tilescope
