#include "profiler/explanation/model/latency_model.hpp"

#include <algorithm>
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

// The first blocks of a sequence in a form short enough to simulate.
struct ShortWork {
  std::vector<std::vector<ShortPath>> by_block;  // by ExecutedKernel::blocks
  std::vector<SmWork::Block> blocks;
};

// The last wave is as full as the whole sequence's. `full`: instructions, by ExecutedKernel::blocks.
std::size_t simulated_blocks(const Sequence& sequence, const std::vector<double>& full) {
  const std::size_t all = sequence.blocks.size(), resident = sequence.resident;
  double instructions = 0;
  for (const SmSchedule::Block& block : sequence.blocks) instructions += full[block.executed];
  const double share = cheap_instructions / std::max(instructions, 1.0);
  const std::size_t all_waves = all / resident;
  const auto waves = std::max(least_waves, static_cast<std::size_t>(share * static_cast<double>(all_waves)));
  return all <= (waves + 1) * resident ? all : waves * resident + all % resident;
}

// `full`: instructions, by ExecutedKernel::blocks.
ShortWork shorten(const ExecutedKernel& kernel, const LaunchPlan& plan, const Sequence& sequence,
                  const std::vector<double>& full) {
  const std::size_t count = simulated_blocks(sequence, full);
  ShortWork work;
  double whole = 0;
  for (std::size_t i = 0; i < count; ++i) whole += full[sequence.blocks[i].executed];
  for (const double divisor : divisors) {
    if (divisor < 0.7 * whole / affordable_instructions) continue;
    work.by_block.assign(kernel.blocks.size(), {});
    double all = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t executed = sequence.blocks[i].executed;
      std::vector<ShortPath>& paths = work.by_block[executed];
      if (paths.empty()) paths = shorten_all(kernel, kernel.blocks[executed], divisor);
      all += instructions_of(paths);
    }
    if (all <= affordable_instructions) break;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const SmSchedule::Block& block = sequence.blocks[i];
    const std::uint64_t row = block.index / plan.grid_x;
    work.blocks.push_back(
        {{block.index % plan.grid_x, row % plan.grid_y, row / plan.grid_y}, &work.by_block[block.executed]});
  }
  return work;
}

// [cycles] of the whole sequence, of which the first blocks were simulated: the others take as long as their instructions
// at the rate between the second wave's start and the last block's. `work`: instructions, by ExecutedKernel::blocks.
double extrapolate(const SmTime& time, const Sequence& sequence, const std::vector<double>& work,
                   std::size_t simulated) {
  double rest = 0;
  for (std::size_t i = simulated; i < sequence.blocks.size(); ++i) rest += work[sequence.blocks[i].executed];
  if (rest <= 0) return time.cycles;
  const double issued = time.issued_at_last_start - time.issued_at_second_start;
  const double passed = time.last_start - time.second_start;
  if (issued > 0 && passed > 0) return time.cycles + rest * passed / issued;
  return time.cycles + rest * time.cycles / time.issued;
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

// [B] that all blocks move between L2 and the SMs, as far as no block finds them in L1.
double l2_traffic(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs) {
  double bytes = 0;
  for (std::size_t i = 0; i < costs.size(); ++i)
    bytes += kernel.code[i].executions * static_cast<double>(costs[i].l2_bytes);
  return bytes;
}

// [B] that a launch touches: the tensors, and what the blocks store beyond the result.
double touched_bytes(const ExecutedKernel& kernel, const LaunchPlan& plan,
                     const std::vector<InstructionCost>& costs) {
  double stored = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (costs[i].effect == Effect::global_store)
      stored += kernel.code[i].executions * static_cast<double>(costs[i].l2_bytes);
  }
  return plan.footprint_bytes + std::max(0.0, stored - plan.output_bytes);
}

// Bandwidth and latency behind L1, for an SM while `active` of them run. Data that a launch touches beyond
// the capacity of L2 is lost before the next launch reads it.
void add_l2(const ExecutedKernel& kernel, const LaunchPlan& plan, const ModelParameters& parameters,
            double active, SmWork& sm) {
  const double from_l2 =
      std::min(parameters.l2_bytes_of_lone_sm, parameters.l2_bytes_of_sm * parameters.sms / active) /
      parameters.l2_slowdown;
  const double touched = touched_bytes(kernel, plan, sm.costs);
  const double kept = parameters.l2_bytes * parameters.l2_kept;
  const double lost = kept > 0 ? std::clamp((touched - kept) / kept * 2, 0.0, 1.0) : 0;
  const double traffic = l2_traffic(kernel, sm.costs);
  const double share = traffic > 0 ? std::min(1.0, lost * touched / traffic) : 0;
  const double from_dram = parameters.dram_gb_per_s * 1e3 / parameters.clock_mhz / active;
  // [clk/B] The slower of both.
  sm.l2_bytes_per_clk = 1 / std::max(1 / from_l2, from_dram > 0 ? share / from_dram : 0);
  // Heads of a group read the same at the same time, and all of them wait. Data that blocks store for others
  // is read soon after: L2 still has it.
  const double first_reads = traffic > 0 ? lost * plan.footprint_bytes / traffic : 0;
  const double waiting = std::min(1.0, first_reads * static_cast<double>(plan.heads_of_group));
  sm.miss_latency =
      parameters.l2_latency + waiting * std::max(0.0, parameters.dram_latency - parameters.l2_latency);
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
  const SmSchedule scheduled = schedule(kernel, plan, work, sms);
  const Sequence sequence{scheduled.blocks,
                          std::min<std::size_t>(plan.blocks_per_sm, scheduled.blocks.size())};
  const ShortWork shortened = shorten(kernel, plan, sequence, work);

  const double active = std::min(parameters.sms, static_cast<double>(plan.blocks()));
  const std::vector<InstructionCost> costs = instruction_costs(kernel, parameters);
  SmWork sm{costs, kernel.basic_blocks, parameters, shortened.blocks, sequence.resident};
  add_l2(kernel, plan, parameters, active, sm);
  sm.block_interval = cycles_to_hand_out_block * active;
  sm.l1_bytes = plan.l1_bytes;
  sm.heads_of_group = plan.heads_of_group;
  const SmTime time = simulate(sm);

  const double cycles = std::max(extrapolate(time, sequence, work, shortened.blocks.size()),
                                 fewest_cycles(kernel, costs, parameters.sms));
  LaunchTime result;
  result.launch_us = parameters.launch_us;
  result.fetch_us = fetch_cycles(kernel, parameters) / parameters.clock_mhz;
  const BusyShares busy = busy_shares(kernel, costs, cycles, parameters);
  const double clock = clock_under_load(busy, parameters);
  const double run_us = cycles / clock;
  const double overhead = result.launch_us + result.fetch_us;
  result.us = overhead + run_us;
  result.fastest_us = overhead + cycles / clock_with_products(busy, parameters);
  result.slowest_us = overhead + cycles / std::min(clock, parameters.lowest_clock_mhz);
  result.tail_us = run_us * (1 - scheduled.balance);
  divide(time, run_us - result.tail_us, result);
  return result;
}

}  // namespace tilescope::model
