#include "profiler/explanation/model/l2_state.hpp"

#include <algorithm>

namespace tilescope::model {
namespace {

Traffic traffic_of(const ExecutedKernel& kernel) {
  constexpr double bytes_of_sector = 32;
  Traffic traffic;
  for (const ExecutedInstruction& one : kernel.code) {
    if (one.facts.opcode == nullptr) continue;
    const double executions = one.executions * bytes_of_sector;
    switch (one.facts.opcode->effect) {
      case Effect::global_load:
        traffic.loads += executions * one.missed_sectors;
        break;
      case Effect::async_copy:
        traffic.loads += executions * one.sectors;
        break;
      case Effect::global_store:
        traffic.stores += executions * one.sectors;
        break;
      case Effect::local_load:
        traffic.local += executions * one.missed_sectors;
        break;
      case Effect::local_store:
        traffic.local += executions * one.sectors;
        break;
      default:
        break;
    }
  }
  return traffic;
}

double atomic_executions(const ExecutedKernel& kernel) {
  double executions = 0;
  for (const ExecutedInstruction& one : kernel.code) {
    const Effect effect = one.facts.opcode == nullptr ? Effect::none : one.facts.opcode->effect;
    if (effect == Effect::global_atomic || effect == Effect::global_reduction) executions += one.executions;
  }
  return executions;
}

}  // namespace

double L2State::lost_of(double bytes) const {
  return kept > 0 ? std::clamp((bytes - kept) / transition, 0.0, 1.0) : 0;
}

L2State l2_state(const ExecutedKernel& kernel, const LaunchPlan& plan, const ModelParameters& parameters) {
  // Measured on an H200 and an H100 (launches/mechanisms: read_*, copy_*): from nothing to all.
  constexpr double transition = 0.17;
  L2State state;
  state.traffic = traffic_of(kernel);
  state.written = plan.is_touch_known ? plan.output_bytes : std::max(plan.output_bytes, state.traffic.stores);
  const double besides = plan.is_touch_known ? 0 : std::max(0.0, state.traffic.stores - plan.output_bytes);
  const double resident =
      std::min(static_cast<double>(plan.blocks()), parameters.sms * static_cast<double>(plan.blocks_per_sm));
  state.local = state.traffic.local > 0 ? kernel.local_bytes_of_block * resident : 0;
  state.touched = plan.footprint_bytes + besides;
  state.kept = parameters.l2_bytes * parameters.l2_kept;
  state.transition = parameters.l2_bytes * transition;
  state.lost = state.lost_of(state.touched + state.local);
  return state;
}

double dram_rate(double read, double written, const ModelParameters& p) {
  const double share = read + written > 0 ? written / (read + written) : 0;
  return p.dram_gb_per_s - (p.dram_gb_per_s - p.dram_copy_gb_per_s) * 4 * share * (1 - share);
}

double atomic_cycles(const AtomicQueue& queue, const ModelParameters& p) {
  return std::max(queue.turns_in_one_slice * p.atomic_turn_cycles,
                  queue.float_turns_in_one_sector * p.atomic_float_cycles);
}

MemoryShare memory_share(const ExecutedKernel& kernel, const L2State& l2, const LaunchPlan& plan,
                         const ModelParameters& parameters, double active) {
  MemoryShare share;
  share.active = active / parameters.sms;
  share.is_touch_known = plan.is_touch_known;
  share.lost = l2.lost;
  share.kept_bytes = l2.kept;
  share.lost_bytes = l2.kept + l2.transition;
  share.local_bytes = l2.local;
  share.running_blocks =
      std::min(static_cast<double>(plan.blocks()), parameters.sms * static_cast<double>(plan.blocks_per_sm));
  const double read = plan.is_touch_known ? l2.touched - l2.written : l2.touched;
  const double rate = dram_rate(std::min(read, l2.traffic.loads), l2.written, parameters);
  if (rate > 0) share.dram_cycles_of_byte = active * parameters.clock_mhz / (rate * 1e3);
  const double all = l2.traffic.loads + l2.traffic.stores;
  const double of_all = all > 0 ? std::min(1.0, l2.lost * l2.touched / all) : 0;
  share.loads_from_dram = of_all;
  share.stores_to_dram = of_all;
  if (plan.is_touch_known && l2.traffic.stores > 0)
    share.stores_to_dram = l2.lost * std::min(1.0, l2.written / l2.traffic.stores);
  if (const double executions = atomic_executions(kernel); executions > 0)
    share.queue_cycles = atomic_cycles(kernel.atomics, parameters) * active / executions;
  return share;
}

void add_latencies(const L2State& l2, const LaunchPlan& plan, const ModelParameters& parameters, SmWork& sm) {
  sm.miss_latency = parameters.l2_latency;
  sm.dram_latency = std::max(parameters.l2_latency, parameters.dram_latency);
  sm.is_touch_known = plan.is_touch_known;
  if (plan.is_touch_known) return;
  const double all = l2.traffic.loads + l2.traffic.stores;
  const double first_reads = all > 0 ? l2.lost * plan.footprint_bytes / all : 0;
  const double waiting = std::min(1.0, first_reads * static_cast<double>(plan.heads_of_group));
  sm.dram_wait = waiting;
}

}  // namespace tilescope::model
