#include "app/panels/tune/parameter_views.hpp"

#include <algorithm>
#include <functional>
#include <variant>

#include "app/explorer/tune/sweep_choice.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {

namespace {

bool has_names(const ParameterDeclaration& parameter) {
  return std::any_of(parameter.values.begin(), parameter.values.end(),
                     [](const ParameterValue& value) { return std::holds_alternative<std::string>(value); });
}

bool is_zero_and_one(const ParameterDeclaration& parameter) {
  return parameter.values == std::vector<ParameterValue>{std::int64_t{0}, std::int64_t{1}};
}

/// `why_not` says why the parameter may not take a value with the others as they are.
SliderView view_of(const ParameterDeclaration& parameter, const ParameterValue& chosen,
                   const std::function<std::string(const ParameterValue&)>& why_not) {
  SliderView slider;
  slider.name = parameter.name;
  slider.help = parameter.help;
  slider.segmented = has_names(parameter) || is_zero_and_one(parameter);
  slider.current = parameter.values.size();
  const bool on_and_off = is_switch(parameter);
  for (const ParameterValue& value : parameter.values) {
    if (value == chosen) slider.current = slider.values.size();
    if (value == parameter.default_value) slider.default_value = slider.values.size();
    slider.values.push_back({to_string(value), why_not(value)});
    if (on_and_off) slider.values.back().label = value == ParameterValue(std::int64_t{0}) ? "Off" : "On";
  }
  return slider;
}

}  // namespace

bool is_switch(const ParameterDeclaration& parameter) {
  if (!is_zero_and_one(parameter)) return false;
  const auto starts = {"1 ", "1: ", "Whether "};
  return std::any_of(starts.begin(), starts.end(),
                     [&](const char* start) { return parameter.help.starts_with(start); });
}

std::vector<SliderView> parameter_views(const Explorer& explorer) {
  const KernelDeclaration& kernel = explorer.selection().kernel();
  const Configuration complete = kernel.complete(explorer.selection().experiment().parameters);
  const bool all_allowed = !explorer.selection().why_invalid().empty();
  std::vector<SliderView> sliders;
  sliders.reserve(kernel.parameters.size());
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    sliders.push_back(view_of(parameter, complete.at(parameter.name), [&](const ParameterValue& value) {
      return explorer.selection().why_invalid(parameter.name, value);
    }));
    sliders.back().all_allowed = all_allowed;
  }
  return sliders;
}

std::vector<SliderView> parameter_views(const Explorer& explorer, const KernelDeclaration& kernel,
                                        const Experiment& experiment) {
  const DeviceModel& device = explorer.selection().device();
  const Configuration complete = kernel.complete(experiment.parameters);
  const bool all_allowed = !why_invalid(kernel, complete, experiment.shape, device).empty();
  std::vector<SliderView> sliders;
  sliders.reserve(kernel.parameters.size());
  for (const ParameterDeclaration& parameter : kernel.parameters) {
    Configuration tried = complete;
    sliders.push_back(view_of(parameter, complete.at(parameter.name), [&](const ParameterValue& value) {
      tried[parameter.name] = value;
      return why_invalid(kernel, tried, experiment.shape, device);
    }));
    sliders.back().all_allowed = all_allowed;
  }
  return sliders;
}

void mark_swept(SliderView& slider, const ParameterDeclaration& parameter, const std::string& kernel,
                const SweepChoice& choice) {
  slider.swept = choice.is_swept(kernel, parameter.name);
  if (!slider.swept) return;
  for (std::size_t i = 0; i < slider.values.size(); ++i)
    slider.values[i].in_sweep = choice.has_value(kernel, parameter.name, parameter.values[i]);
}

}  // namespace tilescope
