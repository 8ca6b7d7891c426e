#include "profiler/explanation/model/launch_work.hpp"

#include <algorithm>
#include <cmath>

namespace tilescope::model {
namespace {

// Instructions that are simulated at most, for some milliseconds. Twice as many where an SM has many blocks at a time: these
// run different loops, of which different shares are left out, so that they meet in other phases than on a GPU (tiled on an
// H200: mean error 4.7 % with 500e3, 4.0 with 1e6, 3.4 with all instructions; mma_flash: 5.5 with each).
constexpr double affordable_instructions = 500e3;
constexpr std::size_t many_blocks = 3;
// Waves of a long sequence of blocks that are simulated at least: a first one with empty caches, one for the rate, and
// the last. Short blocks have more, up to cheap_instructions.
constexpr std::size_t least_waves = 3;
constexpr double cheap_instructions = 200e3;
// Divisors of a loop's iterations: one of each `divisor` is kept.
constexpr double divisors[] = {1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64, 128, 1024, 8192};

double instructions_of(const ExecutedKernel& kernel, const ExecutedBlock& block) {
  double count = 0;
  for (const WarpPath& path : block.warps) {
    for (const std::uint32_t entered : path) count += kernel.basic_blocks[entered].count;
  }
  return count;
}

std::vector<ShortPath> shorten_all(const std::vector<InstructionRange>& basic_blocks,
                                   const ExecutedBlock& block, double divisor) {
  std::vector<ShortPath> paths;
  paths.reserve(block.warps.size());
  for (const WarpPath& path : block.warps) paths.push_back(shorten(path, basic_blocks, divisor));
  return paths;
}

double instructions_of(const std::vector<ShortPath>& paths) {
  double count = 0;
  for (const ShortPath& path : paths) count += static_cast<double>(path.instructions);
  return count;
}

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
  const bool are_equal = has_equal_blocks(sequence.blocks);
  // Blocks of unequal lengths do not end in waves: more of them show what follows what.
  const std::size_t waves = are_equal ? wanted : std::min(all_waves, std::max<std::size_t>(wanted, 12));
  for (std::size_t wave = 0; wave < waves; ++wave) {
    const std::size_t first = are_equal || waves < 2 ? wave : wave * (all_waves - 1) / (waves - 1);
    for (std::size_t i = 0; i < resident; ++i) chosen.push_back(first * resident + i);
  }
  for (std::size_t i = all_waves * resident; i < all; ++i) chosen.push_back(i);
  return chosen;
}

}  // namespace

std::vector<double> executed_work(const ExecutedKernel& kernel) {
  std::vector<double> work;
  work.reserve(kernel.blocks.size());
  for (const ExecutedBlock& block : kernel.blocks) work.push_back(instructions_of(kernel, block));
  return work;
}

double Sequence::work() const {
  double all = 0;
  for (const SmSchedule::Block& block : blocks) all += block.work;
  return all;
}

ShortWork short_work(const std::vector<InstructionRange>& basic_blocks,
                     const std::vector<ExecutedBlock>& executed_blocks, const LaunchPlan& plan,
                     const Sequence& sequence, const std::vector<double>& full) {
  const std::vector<std::size_t> chosen = simulated_blocks(sequence, full);
  const double affordable = (sequence.resident >= many_blocks ? 2 : 1) * affordable_instructions;
  ShortWork work;
  for (const std::size_t i : chosen) work.work += full[sequence.blocks[i].executed];
  for (const double divisor : divisors) {
    if (divisor < 0.7 * work.work / affordable) continue;
    work.by_block.assign(executed_blocks.size(), {});
    double all = 0;
    for (const std::size_t i : chosen) {
      const std::size_t executed = sequence.blocks[i].executed;
      std::vector<ShortPath>& paths = work.by_block[executed];
      if (paths.empty()) paths = shorten_all(basic_blocks, executed_blocks[executed], divisor);
      all += instructions_of(paths);
    }
    if (all <= affordable) break;
  }
  for (const std::size_t i : chosen) {
    const SmSchedule::Block& block = sequence.blocks[i];
    const std::uint64_t row = block.index / plan.grid_x;
    work.blocks.push_back(
        {{block.index % plan.grid_x, row % plan.grid_y, row / plan.grid_y}, &work.by_block[block.executed]});
  }
  return work;
}

double extrapolate(const SmTime& time, const Sequence& sequence, const ShortWork& simulated) {
  const double all = sequence.work();
  const double rest = all - simulated.work;
  if (std::abs(rest) <= 1e-9 * all || simulated.work <= 0) return time.cycles;
  const double issued = time.issued_at_last_start - time.issued_at_second_start;
  const double passed = time.last_start - time.second_start;
  if (issued > 0 && passed > 0 && rest > 0) return time.cycles + rest * passed / issued;
  return time.cycles * all / simulated.work;
}

}  // namespace tilescope::model
