#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// One parameter with another value than a point has.
struct ParameterChange {
  std::string parameter;
  ParameterValue value;

  bool operator==(const ParameterChange&) const = default;
};

/// "SMEM_LAYOUT=padded"
std::string to_string(const ParameterChange& change);

/// How a parameter looks, which decides which of its values are one step away. A declaration does not say what a
/// parameter does to memory: its name and the names of its values do.
enum class ChangeKind {
  /// Any value of a parameter that is about the layout of tiles: "layout", "swizzle" or "pad" is in its name or in one
  /// of its values.
  layout,
  /// Any value of another parameter with named values, or with 0 and 1.
  choice,
  /// The next smaller and the next larger value of a number.
  step,
};
ChangeKind kind_of(const ParameterDeclaration& parameter);

/// A point, the declaration of its kernel and its device, without which every value counts as valid.
struct ChangedPoint {
  const Measurement& point;
  const KernelDeclaration& kernel;
  const DeviceModel* device = nullptr;
};

/// The valid values of a parameter that are one step from the point's, in the order of the declaration; of a number the
/// larger one first. A step skips values that are invalid.
std::vector<ParameterChange> changes_of(const ChangedPoint& changed, const ParameterDeclaration& parameter);

/// The step after `change`, which is one of a number, in its direction from the point. None at the end of the values.
std::optional<ParameterChange> step_beyond(const ChangedPoint& changed, const ParameterChange& change);

/// The experiment of a point with one parameter changed.
Experiment with_change(const Measurement& point, const ParameterChange& change);

}  // namespace tilescope
