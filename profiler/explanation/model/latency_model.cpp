#include "profiler/explanation/model/latency_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "profiler/execution/sass/issue_intervals.hpp"
#include "profiler/explanation/model/block_schedule.hpp"
#include "profiler/explanation/model/l2_state.hpp"
#include "profiler/explanation/model/launch_work.hpp"
#include "profiler/explanation/model/power.hpp"

namespace tilescope::model {
namespace {

// [cycles] Time in which a GPU starts one block, one after the other. Measured on an H200: 32,768 empty
// blocks in 20.3 us.
constexpr double cycles_to_hand_out_block = 1.23;

// [warp instructions] of the whole launch.
double instructions_of(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs) {
  double issued = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double parts = std::min(1.0, static_cast<double>(costs[i].issue_slots));
    if (!costs[i].is_left_out) issued += kernel.code[i].executions * parts;
  }
  return issued;
}

// [cycles] The fewest that an SM needs for its share of the launch: wavefronts, products of the tensor cores, instructions.
// Iterations that stand for others can be simulated to less.
double fewest_cycles(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs, double sms) {
  double lsu = 0, tensor = 0;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    const double busy = kernel.code[i].executions * static_cast<double>(costs[i].busy_cycles);
    if (costs[i].unit == Unit::lsu) lsu += busy;
    if (costs[i].unit == Unit::tensor) tensor += busy;
  }
  const double issued = instructions_of(kernel, costs);
  return std::max({lsu, tensor / sass::quarters_per_sm, issued / sass::quarters_per_sm}) / sms;
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
    if (costs[i].unit == Unit::none || costs[i].is_left_out) continue;
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

// The part of the time for which products keep the tensor cores of `sms` SMs busy. HFMA2.MMA, with which ptxas sets
// registers to constants, runs there too, and is none.
double share_of_products(const ExecutedKernel& kernel, const std::vector<InstructionCost>& costs,
                         double cycles, double sms) {
  const double all = cycles * sms * sass::quarters_per_sm;
  double busy = 0;
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (costs[i].unit == Unit::tensor && kernel.code[i].facts.products > 0)
      busy += kernel.code[i].executions * static_cast<double>(costs[i].busy_cycles);
  return all > 0 ? busy / all : 0;
}

// Kernels with products take so much longer than the simulation, on the H200 to which its figures were fitted: at 1,980 MHz,
// as was measured later, while an earlier fit had assumed the 1,829 MHz of the datasheet's rate. Nsight Compute shows for
// FlashAttention-2 there that 0.17 of 3.8 warps wait for dispatch and 0.12 for instructions, which are not simulated.
// All of it from a five-hundredth of the time on (with a hundredth of the whole GPU's time instead, wmma_scores was predicted
// 6 and 7 % too fast at B1 H16 S333 and B1 H8 S512), and none where the tensor cores are always busy: FlashAttention-2
// reaches 97 % of an RTX 4090's peak rate (published/attention.csv).
double cycles_of_products(double share) {
  constexpr double slowdown = 1.083, begins_at = 0.002, falls_from = 0.5;
  const double part = std::min(share / begins_at, (1 - share) / (1 - falls_from));
  return 1 + (slowdown - 1) * std::clamp(part, 0.0, 1.0);
}

// The device at another clock: DRAM has one of its own.
ModelParameters at_clock(ModelParameters parameters, double clock_mhz) {
  const double slower = clock_mhz / parameters.clock_mhz;
  parameters.dram_latency =
      parameters.l2_latency + (parameters.dram_latency - parameters.l2_latency) * slower;
  parameters.clock_mhz = clock_mhz;
  parameters.power_limit_w = 0;
  return parameters;
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

// [B] that the launch loads and that no access of it touched before.
double first_bytes(const ExecutedKernel& kernel) {
  constexpr double bytes_of_sector = 32;
  double bytes = 0;
  for (const ExecutedInstruction& one : kernel.code)
    bytes += one.executions * one.first_sectors * bytes_of_sector;
  return bytes;
}

// Twice as many blocks, as far as the SM holds their warps.
LaunchPlan plan_without(const Removal& removal, LaunchPlan plan, const ExecutedKernel& kernel,
                        const ModelParameters& parameters) {
  if (removal.cause != Cause::few_warps || kernel.blocks.empty()) return plan;
  const auto warps = static_cast<double>(std::max<std::size_t>(kernel.blocks.front().warps.size(), 1));
  const auto most = static_cast<std::uint64_t>(parameters.warps_of_sm / warps);
  plan.blocks_per_sm = std::max(plan.blocks_per_sm, std::min(2 * plan.blocks_per_sm, most));
  return plan;
}

ModelParameters parameters_without(const Removal& removal, ModelParameters parameters) {
  if (removal.cause == Cause::block_start) parameters.block_start_cycles = 0;
  return parameters;
}

// The time in which quarters do not issue, by what their warps wait for, and all of it by instruction.
void divide(const SmTime& time, double waiting_us, LaunchTime& result) {
  double waits = 0;
  for (std::size_t i = 0; i < wait_count; ++i) {
    if (i != static_cast<std::size_t>(Wait::issue_slots)) waits += time.sums.waits[i];
  }
  if (waits <= 0) result.issue_us += waiting_us;
  const double us_of_wait = waits > 0 ? waiting_us / waits : 0;
  const double us_of_issue = time.issued > 0 ? result.issue_us / time.issued : 0;
  for (std::size_t i = 0; i < wait_count; ++i) {
    if (i != static_cast<std::size_t>(Wait::issue_slots))
      result.waits_us[i] = us_of_wait * time.sums.waits[i];
  }
  result.by_instruction.resize(time.sums.issued.size());
  for (std::size_t i = 0; i < result.by_instruction.size(); ++i)
    result.by_instruction[i] = {us_of_issue * time.sums.issued[i], us_of_wait * time.sums.waited[i]};
  for (std::size_t i = 0; i < stall_count; ++i)
    result.stalls[i] = time.issued > 0 ? time.sums.stalls[i] / time.issued : 0;
}

// The launch as it is simulated, without a cause.
class SimulatedLaunch {
 public:
  SimulatedLaunch(const ExecutedKernel& kernel, const LaunchPlan& plan, const ModelParameters& parameters,
                  const Removal& removal)
      : kernel_(kernel),
        removal_(removal),
        plan_(plan_without(removal, plan, kernel, parameters)),
        parameters_(parameters_without(removal, parameters)),
        accesses_(kernel_without(removal, kernel, plan)),
        l2_(l2_state_of(plan)),
        active_(std::min(parameters_.sms, static_cast<double>(plan.blocks()))),
        work_(executed_work(kernel)),
        even_(removal.cause == Cause::idle_warps ? even_blocks(kernel) : EvenBlocks{}),
        scheduled_(schedule(BlockWork(kernel, plan_, work_), plan_, static_cast<std::size_t>(parameters_.sms),
                            parameters_.architecture)),
        costs_(instruction_costs(accesses_, parameters_,
                                 memory_share(accesses_, l2_, plan_, parameters_, asking_sms()))) {
    remove_from(costs_, removal_, kernel_);
  }

  LaunchTime time() const {
    const SmSchedule* last = &scheduled_.front();
    Simulated whole = simulate_blocks(sequence_of(*last));
    const double mean = whole.cycles - tail_cycles(whole);
    for (const SmSchedule& other : others()) {
      Simulated simulated = simulate_blocks(sequence_of(other));
      if (simulated.cycles <= whole.cycles) continue;
      whole = std::move(simulated);
      last = &other;
    }
    const double tail = whole.cycles - mean;
    const double run = std::max(removal_.cause == Cause::tail ? mean : whole.cycles, least_cycles());
    return at_boost_clock(*last, whole, run, removal_.cause == Cause::tail ? 0 : tail);
  }

 private:
  // Where blocks are equal, the other SMs ask L2 and DRAM all the time for as much less as they have fewer blocks than the one
  // that finishes last.
  double asking_sms() const {
    const SmSchedule& last = scheduled_.front();
    if (last.blocks.empty() || !has_equal_blocks(last.blocks)) return active_;
    return active_ * last.balance;
  }

  struct Simulated {
    SmTime time;
    // Time of the whole sequence.
    double cycles = 0;
  };

  L2State l2_state_of(const LaunchPlan& plan) const {
    L2State state = l2_state(accesses_, plan, parameters_);
    if (removal_.cause == Cause::excess_sectors) {
      const double dropped = first_bytes(kernel_) - first_bytes(accesses_);
      state.touched = std::max(state.written, state.touched - dropped);
      state.lost = state.lost_of(state.touched + state.local);
    }
    if (removal_.cause == Cause::dram) state.lost = 0;
    return state;
  }

  Sequence sequence_of(const SmSchedule& schedule) const {
    return {schedule.blocks, std::min<std::size_t>(plan_.blocks_per_sm, schedule.blocks.size())};
  }

  static bool has_few_waves(const Sequence& sequence) {
    constexpr std::size_t few_waves = 4;
    return sequence.blocks.size() <= few_waves * sequence.resident;
  }

  // SMs that may finish later than the one with the most work, when there are few blocks for each.
  std::span<const SmSchedule> others() const {
    if (!has_few_waves(sequence_of(scheduled_.front()))) return {};
    return std::span(scheduled_).subspan(1);
  }

  Simulated simulate_blocks(const Sequence& sequence) const {
    if (sequence.blocks.empty()) return {};
    const std::vector<ExecutedBlock>& blocks = even_.blocks.empty() ? kernel_.blocks : even_.blocks;
    const ShortWork shortened = short_work(kernel_.basic_blocks, blocks, plan_, sequence, work_);
    SmWork sm{costs_, kernel_.basic_blocks, parameters_, shortened.blocks, sequence.resident};
    add_latencies(l2_, plan_, parameters_, sm);
    sm.block_interval = removal_.cause == Cause::block_start ? 0 : cycles_to_hand_out_block * active_;
    sm.l1_bytes = plan_.l1_bytes;
    sm.heads_of_group = plan_.heads_of_group;
    Simulated simulated{simulate(sm), 0};
    simulated.time.issued_at_second_start *= even_.share;
    simulated.time.issued_at_last_start *= even_.share;
    simulated.cycles = even_.share * extrapolate(simulated.time, sequence, shortened);
    return simulated;
  }

  // [cycles] Time that the SM with the most work takes beyond the mean work of all SMs: between its last blocks by their work.
  double tail_cycles(const Simulated& whole) const {
    constexpr double even = 0.995;
    const SmSchedule& last = scheduled_.front();
    if (last.balance >= even) return 0;
    const Sequence sequence = sequence_of(last);
    const double all = sequence.work(), mean = last.balance * all;
    if (!has_few_waves(sequence)) return whole.cycles * (1 - last.balance);
    Sequence fewer = sequence, more = sequence;
    while (fewer.work() > mean) {
      more = fewer;
      fewer.blocks.pop_back();
    }
    const double low = simulate_blocks(fewer).cycles;
    const double high =
        more.blocks.size() == sequence.blocks.size() ? whole.cycles : simulate_blocks(more).cycles;
    const double between = (mean - fewer.work()) / (more.work() - fewer.work());
    return std::max(0.0, whole.cycles - (low + between * (high - low)));
  }

  void find_longest_block(const SmSchedule& last, LaunchTime& result) const {
    if (last.blocks.empty()) return;
    double work = 0;
    for (const SmSchedule::Block& block : last.blocks) work += block.work;
    const double mean = work * last.balance * parameters_.sms / static_cast<double>(plan_.blocks());
    const auto longest = std::ranges::max_element(last.blocks, {}, &SmSchedule::Block::work);
    result.longest_block = longest->index;
    if (mean > 0) result.longest_over_mean = longest->work / mean;
  }

  double least_cycles() const {
    const double atomic = atomic_cycles(accesses_.atomics, parameters_);
    return std::max(fewest_cycles(accesses_, costs_, parameters_.sms), atomic);
  }

  // `run`: [cycles] of the launch, `tail` of them.
  LaunchTime at_boost_clock(const SmSchedule& last, const Simulated& simulated, double run,
                            double tail) const {
    LaunchTime result;
    if (removal_.cause != Cause::launch) {
      result.launch_us = parameters_.launch_us;
      result.fetch_us = fetch_cycles(kernel_, parameters_) / parameters_.clock_mhz;
    }
    run *= cycles_of_products(share_of_products(accesses_, costs_, run, active_));
    result.bounds = bounds_of(accesses_, costs_, l2_, plan_, parameters_);
    const double run_us =
        std::max({run / parameters_.clock_mhz, result.bounds.dram_us, result.bounds.pipe_us});
    result.us = result.launch_us + result.fetch_us + run_us;
    result.issue_us = std::min(run_us, instructions_of(accesses_, costs_) / sass::quarters_per_sm /
                                           parameters_.sms / parameters_.clock_mhz);
    result.tail_us = run > 0 ? std::min(run_us - result.issue_us, run_us * tail / run) : 0;
    find_longest_block(last, result);
    divide(simulated.time, run_us - result.issue_us - result.tail_us, result);
    result.clock_mhz = capped_clock(result);
    return result;
  }

  double capped_clock(const LaunchTime& time) const {
    const LaunchEnergy energy =
        launch_energy(accesses_, costs_, l2_.traffic, time.bounds.dram_bytes, parameters_);
    const double memory_us = time.waits_us[static_cast<std::size_t>(Wait::global_memory)];
    return clock_under_cap(energy, {time.us, time.us - memory_us, time.bounds.dram_us}, parameters_);
  }

  const ExecutedKernel& kernel_;
  const Removal& removal_;
  const LaunchPlan plan_;
  const ModelParameters parameters_;
  // The kernel's code with the accesses that are left; it has no blocks.
  const ExecutedKernel accesses_;
  const L2State l2_;
  const double active_;
  const std::vector<double> work_;
  const EvenBlocks even_;
  const std::vector<SmSchedule> scheduled_;
  std::vector<InstructionCost> costs_;
};

}  // namespace

LaunchTime launch_time(const ExecutedKernel& kernel, const LaunchPlan& plan,
                       const ModelParameters& parameters, const Removal& removal) {
  constexpr double notably_lower = 0.995, much_of_dram = 0.05;
  LaunchTime time = SimulatedLaunch(kernel, plan, parameters, removal).time();
  if (time.clock_mhz > notably_lower * parameters.clock_mhz) return time;
  // In cycles nothing changes but what waits for DRAM.
  double capped_us = time.launch_us + (time.us - time.launch_us) * parameters.clock_mhz / time.clock_mhz;
  if (time.bounds.dram_us > much_of_dram * time.us)
    capped_us = SimulatedLaunch(kernel, plan, at_clock(parameters, time.clock_mhz), removal).time().us;
  time.clock_us = std::max(0.0, capped_us - time.us);
  time.us += time.clock_us;
  return time;
}

}  // namespace tilescope::model
