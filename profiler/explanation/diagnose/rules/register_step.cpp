#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

// Registers are allotted to warps by 8 per thread: what lies this far above a step can be had with __launch_bounds__.
constexpr std::int64_t most_above = 8;

std::vector<Diagnosis> find_register_step(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (!point.occupancy || !point.resources || input.device == nullptr || input.kernel.grid[0].empty())
    return {};
  const Occupancy& now = *point.occupancy;
  if (now.limiter != Limiter::registers || now.waves <= 1 || now.blocks_per_sm < 1) return {};
  try {
    const LaunchGeometry geometry =
        launch_geometry(input.kernel, input.kernel.complete(point.parameters), point.shape, *input.device);
    for (std::int64_t less = 1; less <= most_above; ++less) {
      Resources resources = *point.resources;
      resources.registers -= less;
      if (resources.registers < 1) break;
      const Occupancy then = occupancy(*input.device, resources, geometry);
      if (then.blocks_per_sm <= now.blocks_per_sm) continue;
      return {{"register_step",
               Severity::hint,
               {},
               fmt::format("{} register{} too many for one more block per SM.", less, less == 1 ? "" : "s"),
               fmt::format("With {} registers per thread {} blocks reside on an SM, with {} only {}.",
                           resources.registers, then.blocks_per_sm, point.resources->registers,
                           now.blocks_per_sm),
               fmt::format("Try __launch_bounds__({}, {}), and look for spills.", geometry.threads,
                           then.blocks_per_sm)}};
    }
  } catch (const std::exception&) {
    return {};  // the declaration cannot be evaluated here
  }
  return {};
}

const RegisterRule register_register_step{{.kind = "register_step", .place = 40, .find = find_register_step}};

}  // namespace
}  // namespace tilescope
