#include "profiler/execution/memory/instruction_counts.hpp"

#include "profiler/execution/memory/scaled_tallies.hpp"

namespace tilescope {

std::vector<InstructionCounts> count_instructions(const simt::Program& program, const simt::RunResult& run,
                                                  std::span<const MemoryCounter* const> counters,
                                                  const BlockWeights& weights) {
  std::vector<InstructionCounts> counts(program.code.size());
  const double factor = growth(counters, weights, &MemoryCounter::Class::warp_instructions);
  const auto grown = [factor](std::uint64_t count) { return factor * static_cast<double>(count); };
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const simt::BasicBlock& block = program.blocks[b];
    for (std::uint32_t at = block.first + 1; at <= block.first + block.instructions; ++at) {
      const bool is_guarded = program.code[at].guard != simt::no_slot;
      counts[at].executions = grown(run.block_executions[b]);
      counts[at].threads = grown(run.block_lanes[b]);
      counts[at].threads_on = is_guarded ? grown(run.guarded_lanes[at]) : counts[at].threads;
    }
  }
  for (const auto& [subject, tally] : scale(counters, weights)) {
    InstructionCounts& of = counts[subject.instruction];
    if (subject.space == simt::Space::shared) {
      of.shared_wavefronts += tally.wavefronts;
      of.shared_wavefronts_minimum += tally.minimum;
    } else if (subject.space == simt::Space::global) {
      of.global_sectors += tally.wavefronts;
      of.global_sectors_minimum += tally.minimum;
    }
  }
  return counts;
}

}  // namespace tilescope
