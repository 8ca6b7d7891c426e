#include "profiler/kernels/catalogue/constraints.hpp"

#include <algorithm>
#include <cmath>

#include "profiler/kernels/catalogue/configuration_grid.hpp"
#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

// The driver's limits on a grid, the same on every architecture since sm_30 (CUDA C++ Programming Guide,
// "Compute Capabilities").
constexpr std::int64_t max_grid_x = 2147483647;
constexpr std::int64_t max_grid_yz = 65535;

std::string list_dtypes(const KernelDeclaration& kernel) {
  std::string text;
  for (const DataType type : kernel.dtypes) text += (text.empty() ? "" : " and ") + to_string(type);
  return text;
}

std::string why_geometry_invalid(const LaunchGeometry& geometry, const DeviceModel& device) {
  if (geometry.threads < 1 || geometry.threads > device.max_threads_per_block) {
    return "a block of " + std::to_string(geometry.threads) + " threads: " + device.name + " takes 1 to " +
           std::to_string(device.max_threads_per_block);
  }
  if (geometry.dynamic_shared_bytes > device.shared_bytes_per_block_optin) {
    return "the tiles need " + std::to_string(geometry.dynamic_shared_bytes) +
           " B of shared memory: a block on " + device.name + " has at most " +
           std::to_string(device.shared_bytes_per_block_optin) + " B";
  }
  const bool is_too_large =
      geometry.grid_x > max_grid_x || geometry.grid_y > max_grid_yz || geometry.grid_z > max_grid_yz;
  const bool is_empty = geometry.grid_x < 1 || geometry.grid_y < 1 || geometry.grid_z < 1;
  if (is_too_large || is_empty) {
    return "a grid of " + std::to_string(geometry.grid_x) + " x " + std::to_string(geometry.grid_y) + " x " +
           std::to_string(geometry.grid_z) + " blocks: CUDA takes " +
           (is_empty ? "at least 1 x 1 x 1" : "at most 2147483647 x 65535 x 65535");
  }
  return "";
}

}  // namespace

LaunchGeometry launch_geometry(const KernelDeclaration& kernel, const Configuration& complete,
                               const Shape& shape, const DeviceModel& device) {
  try {
    const Scope scope(kernel, complete, shape, device);
    LaunchGeometry geometry;
    geometry.grid_x = scope.evaluate_count(kernel.grid[0]);
    geometry.grid_y = scope.evaluate_count(kernel.grid[1]);
    geometry.grid_z = scope.evaluate_count(kernel.grid[2]);
    geometry.threads = scope.evaluate_count(kernel.threads);
    geometry.dynamic_shared_bytes = scope.evaluate_count(kernel.dynamic_shared_bytes);
    if (kernel.block_group.empty()) return geometry;
    geometry.block_group = scope.evaluate_count(kernel.block_group);
    if (geometry.block_group < 1 || geometry.grid_x % geometry.block_group != 0) {
      throw ExpressionError("/block_group is " + std::to_string(geometry.block_group) +
                            ", which does not divide the " + std::to_string(geometry.grid_x) +
                            " blocks along x: correct it or the grid");
    }
    return geometry;
  } catch (const ExpressionError& error) {
    throw DeclarationError(kernel.source_path.string() + ": launch geometry of " + kernel.name + ": " +
                           error.what());
  }
}

namespace {

/// Throws ExpressionError for a value that is neither true nor false: of a division by zero, or an overflow.
bool holds(const Constraint& constraint, const Scope& scope) {
  const double value = scope.evaluate(constraint.expression);
  if (!std::isfinite(value))
    throw ExpressionError("'" + constraint.expression + "' gives " + std::to_string(value) +
                          ": it divides by zero or overflows");
  return value != 0;
}

/// Throws DeclarationError when an expression cannot be evaluated.
std::string why_rejected(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape,
                         const DeviceModel& device) {
  if (std::string malformed = why_malformed(shape); !malformed.empty()) return malformed;
  if (std::find(kernel.dtypes.begin(), kernel.dtypes.end(), shape.dtype) == kernel.dtypes.end()) {
    return kernel.name + " takes " + list_dtypes(kernel) + ", not " + to_string(shape.dtype);
  }
  // Before the constraints: theirs may be about another parameter than the one whose value is not declared.
  for (const auto& [name, value] : complete) {
    const ParameterDeclaration* parameter = kernel.find_parameter(name);
    if (parameter != nullptr && !parameter->declares(value)) return parameter->why_undeclared(value);
  }
  try {
    const Scope scope(kernel, complete, shape, device);
    for (const Constraint& constraint : kernel.constraints) {
      if (!holds(constraint, scope)) return constraint.text;
    }
  } catch (const ExpressionError& error) {
    throw DeclarationError(kernel.source_path.string() + ": constraints of " + kernel.name + ": " +
                           error.what());
  }
  if (kernel.is_launched_by_library()) return "";
  return why_geometry_invalid(launch_geometry(kernel, complete, shape, device), device);
}

}  // namespace

std::string why_invalid(const KernelDeclaration& kernel, const Configuration& chosen, const Shape& shape,
                        const DeviceModel& device) {
  try {
    return why_rejected(kernel, kernel.complete(chosen), shape, device);
  } catch (const DeclarationError& error) {
    return error.what();
  }
}

std::vector<Configuration> expand_grid(
    const KernelDeclaration& kernel, const Configuration& base,
    const std::vector<std::pair<std::string, std::vector<ParameterValue>>>& vary) {
  const ConfigurationGrid configurations(kernel, base, vary);
  std::vector<Configuration> grid;
  grid.reserve(configurations.size());
  for (std::uint64_t place = 0; place < configurations.size(); ++place)
    grid.push_back(configurations.at(configurations.choices_at(place)));
  return grid;
}

}  // namespace tilescope
