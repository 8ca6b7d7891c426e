#pragma once

#include <cstddef>
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

/// How a parameter looks, which decides when it is worth a try. A declaration does not say what a parameter does to
/// memory: its name and the names of its values do.
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

/// The changes of one parameter that are valid, by kind in the given order, then by the declaration's order: at most
/// `limit`. Kinds that are not listed are left out. Without a device all count as valid.
std::vector<ParameterChange> find_changes(const Measurement& point, const KernelDeclaration& kernel,
                                          const DeviceModel* device, const std::vector<ChangeKind>& kinds,
                                          std::size_t limit);

/// The experiment of a point with one parameter changed.
Experiment with_change(const Measurement& point, const ParameterChange& change);

}  // namespace tilescope
