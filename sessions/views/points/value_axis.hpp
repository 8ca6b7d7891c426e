#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// A parameter with its values, as a kernel declares it.
struct ParameterChoices {
  std::string name;
  std::vector<ParameterValue> values;
  /// The value of points that were recorded before the kernel declared the parameter; nothing if there are none.
  std::optional<ParameterValue> default_value = std::nullopt;

  bool operator==(const ParameterChoices&) const = default;
};

/// The places of one parameter's values along an axis.
struct ValueAxis {
  /// Powers of two are placed at their logarithm, other numbers at their value, names at their index.
  enum class Scale { log2, linear, category };

  std::string name;
  Scale scale = Scale::category;
  /// Numbers ascending, names as declared.
  std::vector<ParameterValue> values;
  /// The axis coordinate of each value.
  std::vector<double> positions;
  std::vector<std::string> labels;

  /// Index into `values`, nothing for a value that is not on the axis.
  std::optional<std::size_t> find(const ParameterValue& value) const;
  /// The smallest distance between two neighbours, 1 where there is one value.
  double spacing() const;
  /// The ends of the axis with a margin of half a spacing.
  double low() const;
  double high() const;
};

ValueAxis make_axis(const ParameterChoices& parameter);

}  // namespace tilescope
