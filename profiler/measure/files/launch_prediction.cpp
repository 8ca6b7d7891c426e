#include "profiler/measure/files/launch_prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

#include "base/json.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/opcode.hpp"
#include "profiler/explanation/model/explain.hpp"
#include "profiler/explanation/occupancy/l1_size.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/measure/files/file_launch.hpp"

namespace tilescope {
namespace {

constexpr double sector_bytes = 32;

// Code of an architecture runs on GPUs of its major number and of the same or a higher minor one; "sm_90a" on no other.
bool runs_code_of(const DeviceModel& device, const std::string& target) {
  const int code = sass::architecture_number(target);
  if (target.ends_with('a')) return device.arch == target;
  return code / 10 == device.compute_major && code % 10 <= device.compute_minor;
}

std::string why_none_for(const simt::Program& program, const DeviceModel& device) {
  if (!program.is_machine_code)
    return fmt::format(
        "it needs machine code, and this is PTX: compile it to a cubin (`ptxas -arch={} FILE -o "
        "kernel.cubin`) and run that.",
        device.arch);
  if (!runs_code_of(device, program.target))
    return fmt::format("the cubin is for {}, and {} ({}) does not execute that.", program.target, device.name,
                       device.arch);
  return model::why_not_predicted_for(device);
}

bool has_effect(const model::ExecutedInstruction& one, std::initializer_list<sass::Effect> effects) {
  return one.facts.opcode != nullptr && std::ranges::find(effects, one.facts.opcode->effect) != effects.end();
}

bool loads_global(const model::ExecutedInstruction& one) {
  return has_effect(one, {sass::Effect::global_load, sass::Effect::async_copy});
}

bool stores_global(const model::ExecutedInstruction& one) {
  return has_effect(
      one, {sass::Effect::global_store, sass::Effect::global_atomic, sass::Effect::global_reduction});
}

// The executed blocks show what a block loads and stores, and not what another one touched before it: all loads that no
// block repeats have an equal share of the data. No launch touches more of the buffers than its blocks ask for.
void estimate_first_touches(const LaunchSample& sample, model::ExecutedLaunch& launch) {
  double loaded = 0, stored = 0;
  for (const model::ExecutedInstruction& one : launch.kernel.code) {
    const double bytes = one.executions * sector_bytes;
    if (loads_global(one)) loaded += bytes * (one.missed_sectors - one.repeated_sectors);
    if (stores_global(one)) stored += bytes * one.sectors;
  }
  const double input = std::min(sample.input_bytes, loaded), output = std::min(sample.output_bytes, stored);
  launch.plan.is_touch_known = true;
  launch.plan.output_bytes = output;
  launch.plan.footprint_bytes = std::min(sample.footprint_bytes, input + output);
  const double first = loaded > 0 ? input / loaded : 0;
  for (model::ExecutedInstruction& one : launch.kernel.code) {
    if (!loads_global(one) || one.missed_sectors <= 0) continue;
    one.first_sectors = first * (one.missed_sectors - one.repeated_sectors);
    one.dram_share = one.waiting_share * one.first_sectors / one.missed_sectors;
  }
}

}  // namespace

model::LaunchPlan plan_of(const LaunchGeometry& geometry, const Resources& resources,
                          const DeviceModel& device, std::int64_t resident) {
  model::LaunchPlan plan;
  plan.grid_x = static_cast<std::uint64_t>(geometry.grid_x);
  plan.grid_y = static_cast<std::uint64_t>(geometry.grid_y);
  plan.grid_z = static_cast<std::uint64_t>(geometry.grid_z);
  plan.block_group = static_cast<std::uint64_t>(geometry.block_group);
  plan.blocks_per_sm = static_cast<std::uint64_t>(resident);
  const auto sms = static_cast<std::uint64_t>(std::max<std::int64_t>(device.sm_count, 1));
  plan.l1_blocks = std::clamp<std::uint64_t>((plan.blocks() + sms - 1) / sms, 1, plan.blocks_per_sm);
  plan.l1_bytes = l1_bytes(device, resources, geometry.dynamic_shared_bytes, resident);
  return plan;
}

LaunchPrediction::LaunchPrediction(const simt::Program& program, const Resources& resources,
                                   const simt::Launch& launch, const simt::GlobalMemory& memory,
                                   const DeviceModel& device, const LaunchSample& sample)
    : device_(device), why_none_(why_none_for(program, device)) {
  if (!why_none_.empty()) return;
  const LaunchGeometry geometry = geometry_of(launch);
  const std::int64_t resident = occupancy(device, resources, geometry).blocks_per_sm;
  if (resident == 0) {
    why_none_ = fmt::format("a block does not fit on an SM of {}.", device.name);
    return;
  }
  model::LaunchPlan plan = plan_of(geometry, resources, device, resident);
  if (sample.blocks.empty()) {
    recording_.emplace(program, plan, model::recorded_blocks(plan.blocks()), &memory);
    return;
  }
  sample_ = sample;
  std::set<std::uint64_t> executed;
  for (const SampledBlock& block : sample.blocks) executed.insert(block.index);
  recording_.emplace(program, plan, std::move(executed));
}

std::unique_ptr<simt::Observer> LaunchPrediction::make_observer() {
  return recording_->make_observer();
}

model::ExecutedLaunch LaunchPrediction::take(const std::vector<InstructionCounts>& counts) {
  model::ExecutedLaunch launch = recording_->take(counts, "");
  if (!launch.plan.is_touch_known) estimate_first_touches(sample_, launch);
  return launch;
}

model::PredictedPoint LaunchPrediction::predict(const std::vector<InstructionCounts>& counts,
                                                const std::vector<model::CauseAtLines>& further) {
  const model::ExecutedLaunch launch = take(counts);
  model::PredictedPoint point =
      model::predict(launch, {}, device_, sha256(to_table_document(device_).dump()));
  model::explain(launch, device_, further, point);
  return point;
}

}  // namespace tilescope
