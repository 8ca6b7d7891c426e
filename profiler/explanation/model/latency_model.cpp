#include "profiler/explanation/model/latency_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "profiler/execution/sass/issue_intervals.hpp"
#include "profiler/explanation/model/block_schedule.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/path_thinning.hpp"

namespace tilescope::model {
namespace {

// Instructions that are simulated at most, for some milliseconds.
constexpr double affordable_instructions = 500e3;
// Waves of a long sequence of blocks that are simulated at least: a first one with empty caches, one for the rate, and
// the last. Short blocks have more, up to cheap_instructions.
constexpr std::size_t least_waves = 3;
constexpr double cheap_instructions = 200e3;
// [cycles] Time in which a GPU starts one block, one after the other. Measured on an H200: 32,768 empty
// blocks in 20.3 us.
constexpr double cycles_to_hand_out_block = 1.23;
// Divisors of a loop's iterations: one of each `divisor` is kept.
constexpr double divisors[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 1024, 8192};

double instructions_of(const ExecutedKernel& kernel, const ExecutedBlock& block) {
  double count = 0;
  for (const WarpPath& path : block.warps) {
    for (const std::uint32_t entered : path) count += kernel.basic_blocks[entered].count;
  }
  return count;
}

std::vector<ShortPath> shorten_all(const ExecutedKernel& kernel, const ExecutedBlock& block, double divisor) {
  std::vector<ShortPath> paths;
  paths.reserve(block.warps.size());
  for (const WarpPath& path : block.warps) paths.push_back(shorten(path, kernel.basic_blocks, divisor));
  return paths;
}

double instructions_of(const std::vector<ShortPath>& paths) {
  double count = 0;
  for (const ShortPath& path : paths) count += static_cast<double>(path.instructions);
  return count;
}

// The blocks of an SM.
struct Sequence {
  std::vector<SmSchedule::Block> blocks;
  std::size_t resident = 1;
};

// Blocks of a sequence, in a form short enough to simulate.
struct ShortWork {
  std::vector<std::vector<ShortPath>> by_block;  // by ExecutedKernel::blocks
  std::vector<SmWork::Block> blocks;
  // [warp instructions] of the executed blocks that stand for them.
  double work = 0;
};

// The blocks of a sequence that are simulated, by their number: all, or whole waves of it, and a last one that is as
// full as the whole sequence's. Where blocks are unequal the waves are spread over the sequence, from the first to the
// last; else they are the first ones. `full`: instructions, by ExecutedKernel::blocks.
std::vector<std::size_t> simulated_blocks(const Sequence& sequence, const std::vector<double>& full) {
  const std::size_t all = sequence.blocks.size(), resident = sequence.resident;
  double instructions = 0;
  for (const SmSchedule::Block& block : sequence.blocks) instructions += full[block.executed];
  const double share = cheap_instructions / std::max(instructions, 1.0);
  const std::size_t all_waves = all / resident;
  const auto wanted = std::max(least_waves, static_cast<std::size_t>(share * static_cast<double>(all_waves)));
  std::vector<std::size_t> chosen;
  if (all <= (wanted + 1) * resident) {
    for (std::size_t i = 0; i < all; ++i) chosen.push_back(i);
    return chosen;
  }
  const auto [least, most] = std::ranges::minmax(sequence.blocks, {}, &SmSchedule::Block::work);
  const bool are_equal = most.work <= 1.05 * least.work;
  // Blocks of unequal lengths do not end in waves: more of them show what follows what.
  const std::size_t waves = are_equal ? wanted : std::min(all_waves, std::max<std::size_t>(wanted, 12));
  for (std::size_t wave = 0; wave < waves; ++wave) {
    const std::size_t first = are_equal || waves < 2 ? wave : wave * (all_waves - 1) / (waves - 1);
    for (std::size_t i = 0; i < resident; ++i) chosen.push_back(first * resident + i);
  }
  for (std::size_t i = all_waves * resident; i < all; ++i) chosen.push_back(i);
  return chosen;
}

// `full`: instructions, by ExecutedKernel::blocks.
ShortWork short_work(const ExecutedKernel& kernel, const LaunchPlan& plan, const Sequence& sequence,
                     const std::vector<double>& full) {
  const std::vector<std::size_t> chosen = simulated_blocks(sequence, full);
  ShortWork work;
  for (const std::size_t i : chosen) work.work += full[sequence.blocks[i].executed];
  for (const double divisor : divisors) {
    if (divisor < 0.7 * work.work / affordable_instructions) continue;
    work.by_block.assign(kernel.blocks.size(), {});
    double all = 0;
    for (const std::size_t i : chosen) {
      const std::size_t executed = sequence.blocks[i].executed;
      std::vector<ShortPath>& paths = work.by_block[executed];
      if (paths.empty()) paths = shorten_all(kernel, kernel.blocks[executed], divisor);
      all += instructions_of(paths);
    }
    if (all <= affordable_instructions) break;
  }
  for (const std::size_t i : chosen) {
    const SmSchedule::Block& block = sequence.blocks[i];
    const std::uint64_t row = block.index / plan.grid_x;
    work.blocks.push_back(
        {{block.index % plan.grid_x, row % plan.grid_y, row / plan.grid_y}, &work.by_block[block.executed]});
  }
  return work;
}

// [cycles] of the whole sequence, of which some blocks were simulated: the others take as long as their instructions at
// the rate between the second wave's start and the last block's.
double extrapolate(const SmTime& time, const Sequence& sequence, const ShortWork& simulated) {
  double all = 0;
  for (const SmSchedule::Block& block : sequence.blocks) all += block.work;
  const double rest = all - simulated.work;
  if (std::abs(rest) <= 1e-9 * all || simulated.work <= 0) return time.cycles;
  const double issued = time.issued_at_last_start - time.issued_at_second_start;
  const double passed = time.last_start - time.second_start;
  if (issued > 0 && passed > 0 && rest > 0) return time.cycles + rest * passed / issued;
  return time.cycles * all / simulated.work;
}

// [cycles] The fewest that an SM needs for its share of the launch: wavefronts, products of the tensor cores, instructions.
// Iterations that stand for others can be simulated to less.
double fewest_cycles(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs, double sms) {
  double lsu = 0, tensor = 0, issued = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double busy = kernel.code[i].executions * static_cast<double>(costs[i].busy_cycles);
    issued += kernel.code[i].executions;
    if (costs[i].unit == Unit::lsu) lsu += busy;
    if (costs[i].unit == Unit::tensor) tensor += busy;
  }
  return std::max({lsu, tensor / sass::quarters_per_sm, issued / sass::quarters_per_sm}) / sms;
}

// [B] that all blocks load from L2, as far as no block finds them in L1, and that they store; and the traffic of local memory.
struct Traffic {
  double loads = 0, stores = 0, local = 0;
};

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

// The data of the launch before that a launch finds in L2.
struct L2State {
  Traffic traffic;
  // [B] that the launch touches, and of them those that it writes.
  double touched = 0, written = 0;
  // The part of it that is lost before the next launch reads it.
  double lost = 0;
  // [B] touched before any of it is lost, and from there until all is.
  double kept = 0, transition = 0;
  // [B] of local memory that is in use at a time.
  double local = 0;
};

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
  if (state.kept > 0)
    state.lost = std::clamp((state.touched + state.local - state.kept) / state.transition, 0.0, 1.0);
  return state;
}

// [1e9 B/s] DRAM loses time when it turns from reading to writing: nothing where a launch does one of them alone, most
// where it does as much of both.
double dram_rate(double read, double written, const ModelParameters& p) {
  const double share = read + written > 0 ? written / (read + written) : 0;
  return p.dram_gb_per_s - (p.dram_gb_per_s - p.dram_copy_gb_per_s) * 4 * share * (1 - share);
}

// [cycles] that the atomic operations of a launch take at least, because they meet.
double atomic_cycles(const AtomicQueue& queue, const ModelParameters& p) {
  return std::max(
      {queue.integers_on_one * p.atomic_integer_cycles, queue.floats_on_one * p.atomic_float_cycles,
       queue.turns_in_one_slice * p.atomic_turn_cycles, queue.turns_in_one_line * p.atomic_line_turn_cycles});
}

double atomic_executions(const ExecutedKernel& kernel) {
  double executions = 0;
  for (const ExecutedInstruction& one : kernel.code) {
    const Effect effect = one.facts.opcode == nullptr ? Effect::none : one.facts.opcode->effect;
    if (effect == Effect::global_atomic || effect == Effect::global_reduction) executions += one.executions;
  }
  return executions;
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

// Latencies behind L1. Heads of a group read the same at the same time, and all of them wait. Data that blocks store for
// others is read soon after: L2 still has it.
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

LaunchTime::Bounds bounds_of(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs,
                             const L2State& l2, const LaunchPlan& plan, const ModelParameters& p) {
  LaunchTime::Bounds bounds;
  const double read = plan.is_touch_known ? std::min(l2.touched, l2.traffic.loads) : l2.touched;
  const double written = plan.is_touch_known ? l2.written : 0;
  bounds.dram_bytes = l2.lost * (read + written);
  const double rate = dram_rate(read, l2.written, p);
  if (rate > 0) bounds.dram_us = bounds.dram_bytes / (rate * 1e3);
  if (p.l2_bytes_of_sm > 0) bounds.l2_us = l2.traffic.loads / (p.l2_bytes_of_sm * p.sms * p.clock_mhz);
  std::array<double, unit_count> busy{};
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].unit == Unit::none) continue;
    // Either half of the FMA pipe takes what the light one does.
    const bool is_half = costs[i].fits_heavy;
    const double cycles = kernel.code[i].executions * static_cast<double>(costs[i].busy_cycles);
    const double quarters =
        costs[i].unit == Unit::lsu || costs[i].unit == Unit::adu ? 1 : sass::quarters_per_sm;
    busy[static_cast<std::size_t>(costs[i].unit)] += cycles / quarters / (is_half ? 2 : 1);
  }
  const auto longest = std::ranges::max_element(busy);
  bounds.pipe_us = *longest / (p.sms * p.clock_mhz);
  if (*longest > 0) bounds.pipe = static_cast<Unit>(longest - busy.begin());
  return bounds;
}

// The parts of the time for which the tensor cores and the FMA pipes of the GPU are busy.
struct BusyShares {
  double tensor = 0, fma = 0;
};

BusyShares busy_shares(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs, double cycles,
                       const ModelParameters& parameters) {
  const double all = cycles * parameters.sms * sass::quarters_per_sm;
  BusyShares shares;
  if (all <= 0) return shares;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double busy = kernel.code[i].executions * static_cast<double>(costs[i].busy_cycles) / all;
    if (costs[i].unit == Unit::tensor) shares.tensor += busy;
    // Either half of the pipe.
    if (costs[i].unit == Unit::fma_light || costs[i].unit == Unit::fma_heavy) shares.fma += busy / 2;
  }
  return shares;
}

double part_of_way(double value, double begin, double end) {
  return std::clamp((value - begin) / (end - begin), 0.0, 1.0);
}

// [MHz] Without a power cap. Assumed: all of the fall from a hundredth of the time on. In microbenchmarks an H200 ran at
// 1,980 MHz without products, at 1,950 and 1,880 with rare ones, at 1,800 with many, and at 1,660 in one mix of products
// and FMA chains, which is not modelled.
double clock_with_products(const BusyShares& busy, const ModelParameters& parameters) {
  return parameters.clock_mhz +
         part_of_way(busy.tensor, 0, 0.01) * (parameters.tensor_clock_mhz - parameters.clock_mhz);
}

// [MHz] Assumed: no cap while a tenth of the arithmetic is used, the capped clock from half of it on.
double clock_under_load(const BusyShares& busy, const ModelParameters& parameters) {
  const double free = clock_with_products(busy, parameters);
  const double capped = std::min(free, parameters.capped_clock_mhz);
  return free + part_of_way(std::max(busy.tensor, busy.fma), 0.1, 0.5) * (capped - free);
}

// [cycles] Until the code that a launch executes has arrived, line after line.
double fetch_cycles(const ExecutedKernel& kernel, const ModelParameters& parameters) {
  constexpr std::size_t instructions_of_line = 8;  // 128 B
  std::size_t lines = 0, last = kernel.code.size();
  for (std::size_t i = 0; i < kernel.code.size(); ++i) {
    if (kernel.code[i].executions == 0 || i / instructions_of_line == last) continue;
    last = i / instructions_of_line;
    ++lines;
  }
  return static_cast<double>(lines) * parameters.fetch_cycles;
}

void divide(const SmTime& time, double us, LaunchTime& result) {
  const double all = time.cycles * sass::quarters_per_sm;
  const double issued = std::min(time.issued, all);
  double waits = 0;
  for (std::size_t i = 0; i < wait_count; ++i) {
    if (i != static_cast<std::size_t>(Wait::issue_slots)) waits += time.waits[i];
  }
  result.issue_us = waits > 0 ? us * issued / all : us;
  if (waits <= 0) return;
  for (std::size_t i = 0; i < wait_count; ++i) {
    if (i != static_cast<std::size_t>(Wait::issue_slots))
      result.waits_us[i] = (us - result.issue_us) * time.waits[i] / waits;
  }
}

}  // namespace

LaunchTime launch_time(const ExecutedKernel& kernel, const LaunchPlan& plan,
                       const ModelParameters& parameters) {
  std::vector<double> work;
  work.reserve(kernel.blocks.size());
  for (const ExecutedBlock& block : kernel.blocks) work.push_back(instructions_of(kernel, block));
  const auto sms = static_cast<std::size_t>(parameters.sms);
  const SmSchedule scheduled = schedule(BlockWork(kernel, plan, work), plan, sms);
  const Sequence sequence{scheduled.blocks,
                          std::min<std::size_t>(plan.blocks_per_sm, scheduled.blocks.size())};
  const ShortWork shortened = short_work(kernel, plan, sequence, work);

  const double active = std::min(parameters.sms, static_cast<double>(plan.blocks()));
  const L2State l2 = l2_state(kernel, plan, parameters);
  const std::vector<InstructionCost> costs =
      instruction_costs(kernel, parameters, memory_share(kernel, l2, plan, parameters, active));
  SmWork sm{costs, kernel.basic_blocks, parameters, shortened.blocks, sequence.resident};
  add_latencies(l2, plan, parameters, sm);
  sm.block_interval = cycles_to_hand_out_block * active;
  sm.l1_bytes = plan.l1_bytes;
  sm.heads_of_group = plan.heads_of_group;
  const SmTime time = simulate(sm);

  const double cycles =
      std::max({extrapolate(time, sequence, shortened), fewest_cycles(kernel, costs, parameters.sms),
                atomic_cycles(kernel.atomics, parameters)});
  LaunchTime result;
  result.launch_us = parameters.launch_us;
  result.fetch_us = fetch_cycles(kernel, parameters) / parameters.clock_mhz;
  const BusyShares busy = busy_shares(kernel, costs, cycles, parameters);
  const double clock = clock_under_load(busy, parameters);
  result.bounds = bounds_of(kernel, costs, l2, plan, parameters);
  const double least_us = std::max(result.bounds.dram_us, result.bounds.pipe_us);
  // DRAM has a clock of its own: what waits for it takes as long at any clock of the SMs.
  const double dram_share = cycles > 0 ? std::min(1.0, result.bounds.dram_us * clock / cycles) : 0;
  const auto at_clock = [&](double mhz) {
    return std::max(least_us, cycles / clock * (dram_share + (1 - dram_share) * clock / mhz));
  };
  const double run_us = at_clock(clock);
  const double overhead = result.launch_us + result.fetch_us;
  result.us = overhead + run_us;
  result.fastest_us = overhead + at_clock(clock_with_products(busy, parameters));
  result.slowest_us = overhead + at_clock(std::min(clock, parameters.lowest_clock_mhz));
  result.tail_us = run_us * (1 - scheduled.balance);
  divide(time, run_us - result.tail_us, result);
  return result;
}

}  // namespace tilescope::model
