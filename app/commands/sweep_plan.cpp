#include "app/commands/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/commands/command.hpp"

namespace tilescope {
namespace {

std::vector<ParameterValue> read_values(const std::string& name, const std::string& list) {
  std::vector<ParameterValue> values;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    if (part.empty())
      throw WrongUsage(fmt::format("--vary {}={}: there is an empty value between the commas", name, list));
    const ParameterValue value = parameter_value_from(part);
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      throw WrongUsage(fmt::format("--vary {}={}: {} is there twice", name, list, part));
    }
    values.push_back(value);
  }
  if (values.empty())
    throw WrongUsage(fmt::format("--vary {}=: give values, or the name alone for all of them", name));
  return values;
}

void check(const KernelDeclaration& kernel, const std::string& name, const ParameterValue& value) {
  try {
    check_values(kernel, {{name, value}});
  } catch (const UnknownName& error) {
    throw WrongUsage(std::string("--vary: ") + error.what());
  }
}

}  // namespace

VariedParameters read_vary_arguments(const std::vector<std::string>& arguments,
                                     const KernelDeclaration& kernel) {
  VariedParameters vary;
  for (const std::string& argument : arguments) {
    const std::size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const bool twice =
        std::any_of(vary.begin(), vary.end(), [&](const auto& entry) { return entry.first == name; });
    if (twice) throw WrongUsage(fmt::format("--vary names '{}' twice: name it once", name));
    std::vector<ParameterValue> values;
    if (equals != std::string::npos) values = read_values(name, argument.substr(equals + 1));
    const ParameterDeclaration* declared = kernel.find_parameter(name);
    if (values.empty())
      check(kernel, name, declared == nullptr ? ParameterValue(0) : declared->default_value);
    for (const ParameterValue& value : values) check(kernel, name, value);
    vary.emplace_back(name, std::move(values));
  }
  return vary;
}

std::size_t SweepPlan::left_out_count() const {
  std::size_t count = 0;
  for (const auto& [reason, configurations] : left_out) count += configurations;
  return count;
}

std::string SweepPlan::left_out_text() const {
  if (left_out.empty()) return "";
  const std::size_t count = left_out_count();
  std::string text = fmt::format("Left out {} illegal configuration{}:", count, count == 1 ? "" : "s");
  for (const auto& [reason, configurations] : left_out)
    text += fmt::format("\n  {} x {}", configurations, reason);
  return text;
}

std::string SweepPlan::identity_of(const Experiment& experiment) const {
  Experiment named = experiment;
  named.device = device.name;
  return identity(named);
}

SweepPlan plan_sweep(const KernelDeclaration& kernel, const Experiment& base, const DeviceModel& device,
                     const VariedParameters& vary) {
  SweepPlan plan{kernel, device, vary, {}, {}};
  for (Configuration& configuration : expand_grid(kernel, base.parameters, vary)) {
    const std::string why = why_invalid(kernel, configuration, base.shape, device);
    if (!why.empty()) {
      ++plan.left_out[why];
      continue;
    }
    plan.experiments.push_back(base);
    plan.experiments.back().parameters = std::move(configuration);
  }
  return plan;
}

}  // namespace tilescope
