#include "profiler/measure/prepare/launch_plan.hpp"

#include <algorithm>

#include "profiler/explanation/occupancy/l1_size.hpp"

namespace tilescope {

model::LaunchPlan launch_plan(const Prepared& kernel) {
  model::LaunchPlan launch;
  launch.grid_x = static_cast<std::uint64_t>(kernel.geometry.grid_x);
  launch.grid_y = static_cast<std::uint64_t>(kernel.geometry.grid_y);
  launch.grid_z = static_cast<std::uint64_t>(kernel.geometry.grid_z);
  launch.block_group = static_cast<std::uint64_t>(kernel.geometry.block_group);
  const std::optional<Occupancy>& occupancy = kernel.occupancy;
  const std::int64_t resident = occupancy ? std::max<std::int64_t>(occupancy->blocks_per_sm, 1) : 1;
  launch.blocks_per_sm = static_cast<std::uint64_t>(resident);
  launch.heads_of_group = static_cast<std::uint64_t>(
      std::max<std::int64_t>(kernel.shape().Hq / std::max<std::int64_t>(kernel.shape().Hkv, 1), 1));
  launch.l1_bytes = l1_bytes(kernel.device, kernel.resources.value_or(Resources{}),
                             kernel.geometry.dynamic_shared_bytes, resident);
  launch.footprint_bytes = kernel.bytes();
  const reference::AttentionSizes sizes = kernel.sizes();
  launch.output_bytes = static_cast<double>(sizes.result_elements() * element_bytes(kernel.shape().dtype));
  return launch;
}

}  // namespace tilescope
