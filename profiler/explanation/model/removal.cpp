#include "profiler/explanation/model/removal.hpp"

#include <algorithm>
#include <span>

#include "base/enum_names.hpp"

namespace tilescope::model {
namespace {

constexpr EnumNames<Cause, 20> cause_names{{{Cause::nothing, "nothing"},
                                            {Cause::bank_conflicts, "bank_conflicts"},
                                            {Cause::excess_sectors, "excess_sectors"},
                                            {Cause::repeated_reads, "repeated_reads"},
                                            {Cause::local_memory, "local_memory"},
                                            {Cause::barriers, "barriers"},
                                            {Cause::idle_warps, "idle_warps"},
                                            {Cause::narrow_loads, "narrow_loads"},
                                            {Cause::tail, "tail"},
                                            {Cause::few_warps, "few_warps"},
                                            {Cause::issue_slots, "issue_slots"},
                                            {Cause::tensor, "tensor"},
                                            {Cause::arithmetic, "arithmetic"},
                                            {Cause::mufu, "mufu"},
                                            {Cause::shared_memory, "shared_memory"},
                                            {Cause::atomics, "atomics"},
                                            {Cause::l2, "l2"},
                                            {Cause::dram, "dram"},
                                            {Cause::launch, "launch"},
                                            {Cause::block_start, "block_start"}}};

constexpr double bytes_of_sector = 32, sectors_of_line = 4, bytes_of_wide_load = 16;

Effect effect_of(const ExecutedInstruction& instruction) {
  return instruction.facts.opcode == nullptr ? Effect::none : instruction.facts.opcode->effect;
}

bool is_of_local_memory(Effect effect) {
  return effect == Effect::local_load || effect == Effect::local_store;
}

// An access misses no less than its own bytes: other accesses that used the rest of its sectors load it themselves.
void drop_excess_sectors(ExecutedInstruction& one) {
  const double fewest = one.sectors_minimum;
  if (fewest <= 0 || one.sectors <= fewest) return;
  one.sectors = fewest;
  one.lines = std::min(one.lines, std::max(1.0, fewest / sectors_of_line));
  one.missed_sectors = std::min(one.missed_sectors, fewest);
  one.missed_lines = std::min(one.missed_lines, std::max(1.0, one.missed_sectors / sectors_of_line));
  one.first_sectors = std::min(one.first_sectors, fewest);
  one.partial_sectors = 0;
  one.l1_wavefronts = std::min(one.l1_wavefronts, std::max(1.0, fewest / sectors_of_line));
}

// `first`: the share of the sectors that no access of the launch loaded before.
void keep_in_l1(ExecutedInstruction& one, double first) {
  one.missed_sectors *= first;
  one.missed_lines *= first;
  one.waiting_share *= first;
  one.repeated_sectors = 0;
}

// The share of what an instruction loads that no access of the launch loaded before. Where it is not known which ones
// these are, all loads have an equal share of the data.
double first_share(const ExecutedInstruction& one, const LaunchPlan& plan, double loaded_bytes) {
  if (one.missed_sectors <= 0) return 1;
  if (plan.is_touch_known) return std::min(1.0, one.first_sectors / one.missed_sectors);
  return loaded_bytes > 0 ? std::min(1.0, plan.footprint_bytes / loaded_bytes) : 1;
}

double bytes_loaded(const ExecutedKernel& kernel) {
  double bytes = 0;
  for (const ExecutedInstruction& one : kernel.code) {
    if (effect_of(one) == Effect::global_load) bytes += one.executions * one.missed_sectors * bytes_of_sector;
  }
  return bytes;
}

void change_access(Cause cause, double first, ExecutedInstruction& one) {
  switch (cause) {
    case Cause::bank_conflicts:
      one.wavefronts = one.wavefronts_minimum;
      break;
    case Cause::excess_sectors:
      drop_excess_sectors(one);
      break;
    case Cause::repeated_reads:
      if (effect_of(one) != Effect::global_load) break;
      keep_in_l1(one, first);
      drop_excess_sectors(one);
      break;
    default:
      break;
  }
}

bool is_fma(Unit unit) {
  return unit == Unit::fma_light || unit == Unit::fma_heavy;
}

bool is_of(Cause cause, Unit unit) {
  switch (cause) {
    case Cause::tensor:
      return unit == Unit::tensor;
    case Cause::arithmetic:
      return is_fma(unit) || unit == Unit::alu || unit == Unit::fp16 || unit == Unit::fp64;
    case Cause::mufu:
      return unit == Unit::xu;
    case Cause::shared_memory:
      return unit == Unit::lsu;
    default:
      return false;
  }
}

// Share of its instructions that loads of 16 B would need for as many bytes.
double share_of_wide(const ExecutedInstruction& one) {
  return effect_of(one) == Effect::global_load ? std::min(1.0, one.facts.lane_bytes / bytes_of_wide_load) : 1;
}

void remove_from(InstructionCost& cost, Cause cause, const ExecutedInstruction& one) {
  switch (cause) {
    case Cause::local_memory:
      cost.is_left_out = is_of_local_memory(cost.effect);
      break;
    case Cause::barriers:
      cost.is_left_out = cost.effect == Effect::block_barrier;
      break;
    case Cause::narrow_loads:
      cost.issue_slots *= static_cast<float>(share_of_wide(one));
      break;
    case Cause::issue_slots:
      cost.issue_slots = 0;
      break;
    case Cause::atomics:
      cost.queue_cycles = 0;
      break;
    case Cause::l2:
      cost.read_cycles = cost.write_cycles = 0;
      break;
    case Cause::dram:
      cost.dram_cycles = cost.dram_share = 0;
      break;
    default:
      if (is_of(cause, cost.unit)) cost.busy_cycles = cost.conflict_cycles = 0;
      break;
  }
}

// Parts of a warp's path, each up to a barrier.
using Segments = std::vector<std::span<const std::uint32_t>>;

Segments segments_of(const WarpPath& path, const std::vector<bool>& has_barrier) {
  Segments segments;
  std::size_t first = 0;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (!has_barrier[path[i]] && i + 1 < path.size()) continue;
    segments.emplace_back(path.data() + first, i + 1 - first);
    first = i + 1;
  }
  return segments;
}

// By ExecutedKernel::basic_blocks.
std::vector<bool> blocks_with_barrier(const ExecutedKernel& kernel) {
  std::vector<bool> has_barrier;
  for (const InstructionRange& range : kernel.basic_blocks) {
    bool any = false;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i)
      any = any || effect_of(kernel.code[i]) == Effect::block_barrier;
    has_barrier.push_back(any);
  }
  return has_barrier;
}

double instructions_of(std::span<const std::uint32_t> path, const ExecutedKernel& kernel) {
  double count = 0;
  for (const std::uint32_t entered : path) count += kernel.basic_blocks[entered].count;
  return count;
}

// The longest segment of any warp for each place between two barriers; empty where warps pass different numbers of them.
WarpPath busiest_path(const ExecutedBlock& block, const std::vector<bool>& has_barrier,
                      const ExecutedKernel& kernel) {
  std::vector<Segments> warps;
  warps.reserve(block.warps.size());
  for (const WarpPath& path : block.warps) warps.push_back(segments_of(path, has_barrier));
  WarpPath busiest;
  for (std::size_t s = 0; !warps.empty() && s < warps.front().size(); ++s) {
    std::span<const std::uint32_t> longest;
    double most = -1;
    for (const Segments& segments : warps) {
      if (segments.size() != warps.front().size()) return {};
      if (const double count = instructions_of(segments[s], kernel); count > most) {
        most = count;
        longest = segments[s];
      }
    }
    busiest.insert(busiest.end(), longest.begin(), longest.end());
  }
  return busiest;
}

}  // namespace

std::string to_string(Cause cause) {
  return name_of(cause, cause_names);
}

bool Removal::concerns(std::size_t instruction) const {
  return instructions.empty() || std::ranges::find(instructions, instruction) != instructions.end();
}

ExecutedKernel kernel_without(const Removal& removal, const ExecutedKernel& kernel, const LaunchPlan& plan) {
  const double loaded = removal.cause == Cause::repeated_reads ? bytes_loaded(kernel) : 0;
  ExecutedKernel changed;
  changed.architecture = kernel.architecture;
  changed.code = kernel.code;
  changed.basic_blocks = kernel.basic_blocks;
  changed.is_work_taken = kernel.is_work_taken;
  if (removal.cause != Cause::atomics) changed.atomics = kernel.atomics;
  changed.local_bytes_of_block = kernel.local_bytes_of_block;
  for (std::size_t i = 0; i < changed.code.size(); ++i) {
    ExecutedInstruction& one = changed.code[i];
    if (!removal.concerns(i)) continue;
    if (removal.cause == Cause::local_memory && is_of_local_memory(effect_of(one))) one.executions = 0;
    change_access(removal.cause, first_share(one, plan, loaded), one);
  }
  return changed;
}

EvenBlocks even_blocks(const ExecutedKernel& kernel) {
  const std::vector<bool> has_barrier = blocks_with_barrier(kernel);
  EvenBlocks even;
  double work = 0, paced = 0;
  for (const ExecutedBlock& block : kernel.blocks) {
    const WarpPath busiest = busiest_path(block, has_barrier, kernel);
    ExecutedBlock& made = even.blocks.emplace_back(block);
    for (WarpPath& path : made.warps) {
      work += instructions_of(path, kernel);
      if (!busiest.empty()) path = busiest;
      paced += instructions_of(path, kernel);
    }
  }
  if (paced > 0) even.share = work / paced;
  return even;
}

void remove_from(std::vector<InstructionCost>& costs, const Removal& removal, const ExecutedKernel& kernel) {
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (removal.concerns(i)) remove_from(costs[i], removal.cause, kernel.code[i]);
  }
}

}  // namespace tilescope::model
