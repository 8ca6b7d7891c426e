#include "profiler/model/latency_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "profiler/model/block_schedule.hpp"
#include "profiler/model/instruction_cost.hpp"
#include "profiler/model/path_thinning.hpp"
#include "profiler/sass/issue_intervals.hpp"

namespace tilescope::model {
namespace {

// Instructions that are simulated at most, for some milliseconds.
constexpr double affordable_instructions = 120e3;
constexpr std::size_t kept_iterations[] = {64, 24, 12, 8, 6, 5, 4, 3};

double instructions_of(const ExecutedKernel& kernel, const ExecutedBlock& block) {
  double count = 0;
  for (const WarpPath& path : block.warps) {
    for (const std::uint32_t entered : path) count += kernel.basic_blocks[entered].count;
  }
  return count;
}

std::vector<ShortPath> shorten_all(const ExecutedKernel& kernel, const ExecutedBlock& block,
                                   std::size_t kept) {
  std::vector<ShortPath> paths;
  for (const WarpPath& path : block.warps) paths.push_back(shorten(path, kernel.basic_blocks, kept));
  return paths;
}

double instructions_of(const std::vector<ShortPath>& paths) {
  double count = 0;
  for (const ShortPath& path : paths) count += static_cast<double>(path.instructions);
  return count;
}

// The blocks of an SM in a form short enough to simulate.
struct ShortWork {
  std::vector<std::vector<ShortPath>> by_block;  // by ExecutedKernel::blocks
  std::vector<const std::vector<ShortPath>*> blocks;
};

ShortWork shorten(const ExecutedKernel& kernel, const std::vector<std::size_t>& sequence,
                  std::size_t fewest) {
  ShortWork work;
  std::vector<bool> used(kernel.blocks.size(), false);
  for (const std::size_t block : sequence) used[block] = true;
  for (const std::size_t kept : kept_iterations) {
    work.by_block.assign(kernel.blocks.size(), {});
    for (std::size_t i = 0; i < kernel.blocks.size(); ++i) {
      if (used[i]) work.by_block[i] = shorten_all(kernel, kernel.blocks[i], kept);
    }
    double all = 0;
    for (const std::size_t block : sequence) all += instructions_of(work.by_block[block]);
    if (all <= affordable_instructions) break;
  }
  double some = 0;
  for (const std::size_t block : sequence) {
    some += instructions_of(work.by_block[block]);
    if (work.blocks.size() >= fewest && some > affordable_instructions) break;
    work.blocks.push_back(&work.by_block[block]);
  }
  return work;
}

// [cycles] of the SM's whole sequence, of which the first blocks were simulated.
double extrapolate(const SmTime& time, const std::vector<double>& work,
                   const std::vector<std::size_t>& sequence, std::size_t simulated, std::size_t resident) {
  if (simulated == sequence.size()) return time.cycles;
  const auto work_between = [&](std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += work[sequence[i]];
    return sum;
  };
  // From the end of the first wave on.
  const double first_end = time.block_ends[resident - 1];
  const double steady = work_between(resident, simulated);
  const double rest = work_between(simulated, sequence.size());
  if (steady <= 0 || time.cycles <= first_end) return time.cycles * (1 + rest / work_between(0, simulated));
  return time.cycles + (time.cycles - first_end) * rest / steady;
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
  for (const ExecutedBlock& block : kernel.blocks) work.push_back(instructions_of(kernel, block));
  const auto sms = static_cast<std::size_t>(parameters.sms);
  const SmSchedule scheduled = schedule(kernel, plan, work, sms);
  const std::size_t resident = std::min<std::size_t>(plan.blocks_per_sm, scheduled.blocks.size());
  const ShortWork shortened =
      shorten(kernel, scheduled.blocks, std::min(2 * resident, scheduled.blocks.size()));

  const double active = std::min(parameters.sms, static_cast<double>(plan.blocks()));
  const std::vector<InstructionCost> costs = instruction_costs(kernel, parameters);
  SmWork sm{costs, kernel.basic_blocks, parameters, shortened.blocks, resident};
  sm.l2_bytes_per_clk =
      std::min(parameters.l2_bytes_of_lone_sm, parameters.l2_bytes_of_sm * parameters.sms / active) /
      parameters.l2_slowdown;
  sm.miss_latency = parameters.l2_latency;
  const SmTime time = simulate(sm);

  const double cycles = extrapolate(time, work, scheduled.blocks, shortened.blocks.size(), resident);
  LaunchTime result;
  result.launch_us = parameters.launch_us;
  const double run_us = cycles / parameters.clock_mhz;
  result.us = result.launch_us + run_us;
  result.tail_us = run_us * (1 - scheduled.balance);
  divide(time, run_us - result.tail_us, result);
  return result;
}

}  // namespace tilescope::model
