#include "profiler/measure/launch_plan.hpp"

#include <algorithm>
#include <span>

#include "profiler/measure/interpreted_launch.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/sass/cubin.hpp"

namespace tilescope {
namespace {

constexpr double kibibyte = 1024;

// An SM's memory is divided between L1 and shared memory in steps (CUDA C++ Programming Guide 13.0, "Shared Memory" of
// compute capability 8.x and 9.0). The driver takes the smallest step that holds the resident blocks: assumed.
struct DividedMemory {
  int architecture;
  double all_kib;
  std::span<const int> shared_kib;
};
constexpr int steps_8_0[] = {0, 8, 16, 32, 64, 100, 132, 164};
constexpr int steps_8_9[] = {0, 8, 16, 32, 64, 100};
constexpr int steps_9_0[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
constexpr DividedMemory divided[] = {
    {80, 192, steps_8_0}, {86, 128, steps_8_9}, {89, 128, steps_8_9}, {90, 256, steps_9_0}};

double l1_bytes(const DeviceModel& device, double shared_bytes) {
  const int architecture = sass::architecture_number(device.arch);
  const DividedMemory* memory = &divided[0];
  for (const DividedMemory& one : divided) {
    if (one.architecture <= architecture) memory = &one;
  }
  const auto step = std::ranges::find_if(
      memory->shared_kib, [&](int kib) { return static_cast<double>(kib) * kibibyte >= shared_bytes; });
  const int taken = step == memory->shared_kib.end() ? memory->shared_kib.back() : *step;
  return (memory->all_kib - static_cast<double>(taken)) * kibibyte;
}

}  // namespace

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
  const std::int64_t block_bytes = (resources ? resources->static_shared_bytes : 0) +
                                   plan.geometry.dynamic_shared_bytes +
                                   plan.device.reserved_shared_bytes_per_block;
  launch.l1_bytes = l1_bytes(plan.device, static_cast<double>(block_bytes * resident));
  launch.footprint_bytes = tensor_bytes(plan.shape, plan.kernel.result);
  reference::AttentionSizes sizes = attention_sizes(plan.shape, plan.kernel.result);
  launch.output_bytes = static_cast<double>(sizes.result_elements() * element_bytes(plan.shape.dtype));
  return launch;
}

}  // namespace tilescope
