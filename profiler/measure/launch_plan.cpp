#include "profiler/measure/launch_plan.hpp"

#include <algorithm>

#include "profiler/measure/interpreted_launch.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/occupancy/l1_size.hpp"

namespace tilescope {

model::LaunchPlan launch_plan(const InterpreterPlan& plan, const std::optional<Occupancy>& occupancy,
                              const std::optional<Resources>& resources) {
  model::LaunchPlan launch;
  launch.grid_x = static_cast<std::uint64_t>(plan.geometry.grid_x);
  launch.grid_y = static_cast<std::uint64_t>(plan.geometry.grid_y);
  launch.grid_z = static_cast<std::uint64_t>(plan.geometry.grid_z);
  launch.block_group = static_cast<std::uint64_t>(plan.geometry.block_group);
  const std::int64_t resident = occupancy ? std::max<std::int64_t>(occupancy->blocks_per_sm, 1) : 1;
  launch.blocks_per_sm = static_cast<std::uint64_t>(resident);
  launch.heads_of_group = static_cast<std::uint64_t>(
      std::max<std::int64_t>(plan.shape.Hq / std::max<std::int64_t>(plan.shape.Hkv, 1), 1));
  launch.l1_bytes =
      l1_bytes(plan.device, resources.value_or(Resources{}), plan.geometry.dynamic_shared_bytes, resident);
  launch.footprint_bytes = tensor_bytes(plan.shape, plan.kernel.result);
  reference::AttentionSizes sizes = attention_sizes(plan.shape, plan.kernel.result);
  launch.output_bytes = static_cast<double>(sizes.result_elements() * element_bytes(plan.shape.dtype));
  return launch;
}

}  // namespace tilescope
