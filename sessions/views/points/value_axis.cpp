#include "sessions/views/points/value_axis.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope {

namespace {

bool all_numbers(const std::vector<ParameterValue>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const ParameterValue& value) { return std::holds_alternative<std::int64_t>(value); });
}

bool is_power_of_two(std::int64_t number) {
  return number > 0 && (number & (number - 1)) == 0;
}

ValueAxis::Scale scale_of(const std::vector<ParameterValue>& values) {
  if (values.empty() || !all_numbers(values)) return ValueAxis::Scale::category;
  const bool powers = std::all_of(values.begin(), values.end(), [](const ParameterValue& value) {
    return is_power_of_two(std::get<std::int64_t>(value));
  });
  return powers ? ValueAxis::Scale::log2 : ValueAxis::Scale::linear;
}

}  // namespace

std::optional<std::size_t> ValueAxis::find(const ParameterValue& value) const {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found == values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - values.begin());
}

double ValueAxis::spacing() const {
  double smallest = positions.size() < 2 ? 1 : positions[1] - positions[0];
  for (std::size_t i = 1; i < positions.size(); ++i) {
    smallest = std::min(smallest, positions[i] - positions[i - 1]);
  }
  return smallest;
}

double ValueAxis::low() const {
  return (positions.empty() ? 0 : positions.front()) - spacing() / 2;
}

double ValueAxis::high() const {
  return (positions.empty() ? 0 : positions.back()) + spacing() / 2;
}

ValueAxis make_axis(const ParameterChoices& parameter) {
  ValueAxis axis;
  axis.name = parameter.name;
  axis.values = parameter.values;
  axis.scale = scale_of(parameter.values);
  if (axis.scale != ValueAxis::Scale::category) std::sort(axis.values.begin(), axis.values.end());
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    double position = static_cast<double>(i);
    if (axis.scale != ValueAxis::Scale::category) {
      const auto number = static_cast<double>(std::get<std::int64_t>(axis.values[i]));
      position = axis.scale == ValueAxis::Scale::log2 ? std::log2(number) : number;
    }
    axis.positions.push_back(position);
    axis.labels.push_back(to_string(axis.values[i]));
  }
  return axis;
}

}  // namespace tilescope
