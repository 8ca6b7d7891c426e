#include "profiler/measure/prepare/launch_plan.hpp"

#include <algorithm>

#include "profiler/measure/files/launch_prediction.hpp"

namespace tilescope {

model::LaunchPlan launch_plan(const Prepared& kernel) {
  const std::optional<Occupancy>& occupancy = kernel.occupancy;
  model::LaunchPlan launch = plan_of(kernel.geometry, kernel.resources.value_or(Resources{}), kernel.device,
                                     occupancy ? std::max<std::int64_t>(occupancy->blocks_per_sm, 1) : 1);
  launch.heads_of_group = static_cast<std::uint64_t>(
      std::max<std::int64_t>(kernel.shape().Hq / std::max<std::int64_t>(kernel.shape().Hkv, 1), 1));
  launch.footprint_bytes = kernel.bytes();
  const reference::AttentionSizes sizes = kernel.sizes();
  launch.output_bytes = static_cast<double>(sizes.result_elements() * element_bytes(kernel.shape().dtype));
  return launch;
}

}  // namespace tilescope
