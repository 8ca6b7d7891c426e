#include "profiler/kernels/catalogue/launch_identity.hpp"

#include <fmt/format.h>

#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/catalogue/expression.hpp"

namespace tilescope {
namespace {

std::string identity_of(const ArgumentDeclaration& declared, const Scope& scope) {
  if (declared.type == "attention_problem") return declared.type;
  if (declared.type == "pointer") {
    const bool is_scratch = declared.value == "scratch";
    return declared.value + (is_scratch ? ":" + std::to_string(scope.evaluate_count(declared.bytes)) : "");
  }
  const double value = scope.evaluate(declared.value);
  // As many digits as tell two values of the type apart.
  return declared.type + ":" +
         (declared.type == "float32" ? fmt::format("{:.9g}", value) : fmt::format("{:.17g}", value));
}

}  // namespace

std::string launch_identity(const KernelDeclaration& kernel, const Configuration& complete,
                            const Shape& shape, const DeviceModel& device) {
  const LaunchGeometry geometry = launch_geometry(kernel, complete, shape, device);
  std::string text =
      fmt::format("{} {} {} {} {} {} {}", geometry.grid_x, geometry.grid_y, geometry.grid_z, geometry.threads,
                  geometry.dynamic_shared_bytes, geometry.block_group, to_string(kernel.result));
  try {
    const Scope scope(kernel, complete, shape, device);
    for (const ArgumentDeclaration& declared : kernel.arguments) text += " " + identity_of(declared, scope);
  } catch (const ExpressionError& error) {
    throw DeclarationError(kernel.source_path.string() + ": arguments of " + kernel.name + ": " +
                           error.what());
  }
  return text;
}

}  // namespace tilescope
