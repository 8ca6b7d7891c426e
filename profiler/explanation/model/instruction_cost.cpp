#include "profiler/explanation/model/instruction_cost.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/execution/sass/hardware_pipe.hpp"
#include "profiler/execution/sass/issue_intervals.hpp"
#include "profiler/explanation/model/access_lines.hpp"

namespace tilescope::model {
namespace {

using sass::HardwarePipe;

constexpr double bytes_of_sector = 32;

Unit unit_of(const sass::HardwarePipes& pipes) {
  constexpr std::pair<HardwarePipe, Unit> units[] = {{HardwarePipe::tensor, Unit::tensor},
                                                     {HardwarePipe::lsu, Unit::lsu},
                                                     {HardwarePipe::xu, Unit::xu},
                                                     {HardwarePipe::fp64, Unit::fp64},
                                                     {HardwarePipe::fma_heavy, Unit::fma_heavy},
                                                     {HardwarePipe::fma, Unit::fma_light},
                                                     {HardwarePipe::alu, Unit::alu},
                                                     {HardwarePipe::fp16, Unit::fp16},
                                                     {HardwarePipe::adu, Unit::adu},
                                                     {HardwarePipe::uniform, Unit::uniform}};
  for (const auto& [pipe, unit] : units) {
    if (has(pipes, pipe)) return unit;
  }
  return Unit::none;
}

Effect effect_of(const simt::MachineFacts& facts, const ExecutedInstruction& instruction) {
  if (facts.opcode == nullptr || facts.is_within_block) return Effect::delayed_result;
  if (facts.is_generic && instruction.wavefronts > 0) return Effect::shared_access;
  return facts.opcode->effect;
}

// Tables of latencies begin with one matrix, or with 4 B of a lane; each next one has twice as much.
std::size_t doublings(unsigned size, unsigned first) {
  return static_cast<std::size_t>(std::bit_width(size / first)) - 1;
}

double shared_latency(const simt::MachineFacts& facts, const ModelParameters& parameters) {
  if (facts.matrices > 0) return parameters.ldmatrix_latency[doublings(facts.matrices, 1)];
  return parameters.shared_latency[doublings(facts.lane_bytes, 4)];
}

double slowdown_of(Unit unit, const ModelParameters& parameters) {
  switch (unit) {
    case Unit::tensor:
      return parameters.tensor_slowdown * parameters.tensor_factor;
    case Unit::lsu:
      return parameters.lsu_slowdown;
    case Unit::fma_light:
    case Unit::fma_heavy:
      return parameters.fma_slowdown;
    default:
      return 1;
  }
}

// Warps that are always ready issue an FMA in every cycle; with integers or shared memory between them they do not
// (launches/mechanisms: fma_8, fma_and_*). An H200 issues a MUFU.EX2 and 8 or 12 FFMA in 10.8 and 14.8 cycles
// (hardware/issue_mixes_h200.csv).
double issue_slots(Unit unit, const ModelParameters& parameters) {
  constexpr double slots_of_mufu = 2.5;
  switch (unit) {
    case Unit::alu:
    case Unit::lsu:
      return parameters.issue_slowdown;
    case Unit::xu:
      return slots_of_mufu;
    default:
      return 1;
  }
}

double unit_cycles(const simt::MachineFacts& facts, const sass::HardwarePipes& pipes, Unit unit,
                   int architecture) {
  double cycles = 0;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    const auto pipe = static_cast<HardwarePipe>(i);
    if (pipes.test(i)) cycles = std::max(cycles, sass::pipe_cycles(pipe, facts, architecture));
  }
  // With two halves, one half takes an instruction for twice as long as both together would.
  if (unit == Unit::fma_light && cycles == 1) cycles = 2;
  return cycles;
}

// [cycles] of the way between an SM and L2: what L2 needs for the SMs that ask, but no less than the SM's own way.
double shared_cycles(double of_all, double of_lone, const MemoryShare& share) {
  return std::max(of_all * share.active, of_lone);
}

double read_cycles(double sectors, double lines, const ModelParameters& p, const MemoryShare& share) {
  const double bytes = sectors * bytes_of_sector;
  const auto cycles = [&](double bytes_per_clk, const L2Costs& costs) {
    return std::max(bytes / bytes_per_clk, lines * costs.read_line + sectors * costs.read_sector);
  };
  return p.l2_slowdown * shared_cycles(cycles(p.l2_bytes_of_sm, p.l2_of_all),
                                       cycles(p.l2_bytes_of_lone_sm, p.l2_of_lone), share);
}

double write_cycles(double sectors, double partial, double lines, const ModelParameters& p,
                    const MemoryShare& share) {
  const auto cycles = [&](const L2Costs& costs) {
    return lines * costs.write_line + (sectors - partial) * costs.write_sector +
           partial * costs.write_partial_sector;
  };
  return p.l2_slowdown * shared_cycles(cycles(p.l2_of_all), cycles(p.l2_of_lone), share);
}

void add_load(const ExecutedInstruction& instruction, const ModelParameters& parameters,
              const MemoryShare& share, InstructionCost& cost) {
  const double wavefronts = instruction.l1_wavefronts * bytes_of_line / parameters.l1_bytes_per_clk;
  cost.busy_cycles = static_cast<float>(std::max(1.0, wavefronts) * parameters.lsu_slowdown);
  cost.l2_bytes = static_cast<float>(instruction.missed_sectors * bytes_of_sector);
  cost.read_cycles = static_cast<float>(
      read_cycles(instruction.missed_sectors, instruction.missed_lines, parameters, share));
  cost.waiting_share = static_cast<float>(instruction.waiting_share);
  cost.latency = static_cast<float>(parameters.l1_latency);
  for (unsigned axis = 0; axis < 3; ++axis)
    cost.shared_along |= static_cast<std::uint8_t>(instruction.is_shared_along[axis] ? 1u << axis : 0u);
}

// A part of what an SM loads is cached in both partitions of L2: in the SM's and in the memory's. Assumed for
// all devices; an H200 and an H100 lose so much of the rows that a softmax reads again.
constexpr double copies = 1.35;

// The share of DRAM in a load from global memory: equal for all bytes where it is not known which ones are touched first.
void add_dram(const ExecutedInstruction& instruction, const MemoryShare& share, InstructionCost& cost) {
  double bytes = static_cast<double>(cost.l2_bytes) * share.loads_from_dram;
  if (share.is_touch_known) {
    cost.is_lost_here_and_there = share.lost < 1;
    const double lost = share.lost_after(copies * instruction.bytes_between * share.running_blocks);
    bytes = (instruction.first_sectors * share.lost + instruction.repeated_sectors * lost) * bytes_of_sector;
    if (instruction.waiting_share > 0) {
      const double repeated =
          instruction.missed_sectors > 0 ? instruction.repeated_sectors / instruction.missed_sectors : 0;
      cost.dram_share = static_cast<float>(
          std::min(1.0, share.lost * instruction.dram_share / instruction.waiting_share + lost * repeated));
    }
  }
  cost.dram_cycles = static_cast<float>(bytes * share.dram_cycles_of_byte);
}

void add_store(const ExecutedInstruction& instruction, const ModelParameters& parameters,
               const MemoryShare& share, InstructionCost& cost) {
  cost.busy_cycles =
      static_cast<float>(std::max(1.0, instruction.sectors / sectors_of_line) * parameters.lsu_slowdown);
  cost.l2_bytes = static_cast<float>(instruction.sectors * bytes_of_sector);
  cost.write_cycles = static_cast<float>(
      write_cycles(instruction.sectors, instruction.partial_sectors, instruction.lines, parameters, share));
  cost.dram_cycles = static_cast<float>(static_cast<double>(cost.l2_bytes) * share.stores_to_dram *
                                        share.dram_cycles_of_byte);
  cost.latency = static_cast<float>(parameters.l1_latency);
}

// Stores to local memory take so much longer on their way to L2 than those to global memory: on an H200 full lines took 1.1
// to 1.3 times as long, words in many lines up to 1.5 times (hardware/local_lines_h200.csv).
constexpr double local_store_cost = 1.15;

// Stores to local memory go to L2, too. DRAM moves 64 B at a time, and reads what a store does not fill.
void add_local(const ExecutedInstruction& instruction, const ModelParameters& parameters,
               const MemoryShare& share, InstructionCost& cost) {
  const bool is_load = cost.effect == Effect::local_load;
  cost.busy_cycles =
      static_cast<float>(std::max({1.0, instruction.sectors / sectors_of_line, instruction.l1_wavefronts}) *
                         parameters.lsu_slowdown);
  cost.latency = static_cast<float>(parameters.l1_latency);
  const double lost =
      share.lost_after(std::min(instruction.bytes_between * share.running_blocks, share.local_bytes));
  cost.dram_share = static_cast<float>(lost);
  const double dram_byte = lost * share.dram_cycles_of_byte * bytes_of_sector;
  if (!is_load) {
    cost.write_cycles =
        static_cast<float>(local_store_cost * write_cycles(instruction.sectors, instruction.partial_sectors,
                                                           instruction.lines, parameters, share));
    const double moved = std::max(instruction.sectors, 2 * instruction.lines);
    const double filled = instruction.sectors > 0 ? instruction.partial_sectors / instruction.sectors : 0;
    cost.dram_cycles = static_cast<float>(moved * (1 + filled) * dram_byte);
    return;
  }
  cost.l2_bytes = static_cast<float>(instruction.missed_sectors * bytes_of_sector);
  cost.read_cycles = static_cast<float>(
      read_cycles(instruction.missed_sectors, instruction.missed_lines, parameters, share));
  cost.dram_cycles =
      static_cast<float>(std::max(instruction.missed_sectors, 2 * instruction.missed_lines) * dram_byte);
  cost.waiting_share = static_cast<float>(instruction.waiting_share);
}

void add_atomic(const ExecutedInstruction& instruction, const ModelParameters& parameters,
                const MemoryShare& share, InstructionCost& cost) {
  cost.busy_cycles =
      static_cast<float>(std::max(1.0, instruction.sectors / sectors_of_line) * parameters.lsu_slowdown);
  cost.l2_bytes = static_cast<float>(instruction.sectors * bytes_of_sector);
  cost.write_cycles =
      static_cast<float>(shared_cycles(instruction.sectors * parameters.l2_of_all.reduction_sector,
                                       instruction.sectors * parameters.l2_of_lone.reduction_sector, share));
  cost.latency = static_cast<float>(parameters.atomic_latency);
  cost.queue_cycles = static_cast<float>(share.queue_cycles);
  if (cost.effect == Effect::global_atomic)
    cost.read_cycles = static_cast<float>(instruction.lanes * parameters.atomic_cycles_of_lane);
}

void add_memory(const ExecutedInstruction& instruction, const simt::MachineFacts& facts,
                const ModelParameters& parameters, const MemoryShare& share, InstructionCost& cost) {
  switch (cost.effect) {
    case Effect::shared_access: {
      const double wavefronts = std::max(1.0, instruction.wavefronts);
      cost.busy_cycles = static_cast<float>(wavefronts * parameters.lsu_slowdown);
      cost.conflict_cycles = static_cast<float>((instruction.wavefronts - instruction.wavefronts_minimum) *
                                                parameters.lsu_slowdown);
      cost.latency = static_cast<float>(shared_latency(facts, parameters));
      break;
    }
    case Effect::async_copy:
      add_load(instruction, parameters, share, cost);
      cost.busy_cycles =
          static_cast<float>(std::max({1.0, instruction.wavefronts, instruction.sectors / sectors_of_line}) *
                             parameters.lsu_slowdown);
      cost.l2_bytes = static_cast<float>(instruction.sectors * bytes_of_sector);
      cost.read_cycles =
          static_cast<float>(read_cycles(instruction.sectors, instruction.lines, parameters, share));
      cost.waiting_share = 1;
      add_dram(instruction, share, cost);
      break;
    case Effect::global_load:
      add_load(instruction, parameters, share, cost);
      add_dram(instruction, share, cost);
      break;
    case Effect::global_store:
      add_store(instruction, parameters, share, cost);
      break;
    case Effect::local_load:
    case Effect::local_store:
      add_local(instruction, parameters, share, cost);
      break;
    case Effect::global_atomic:
    case Effect::global_reduction:
      add_atomic(instruction, parameters, share, cost);
      break;
    case Effect::memory_fence:
      // Measured on an H200: 264 cycles behind no store, as much more behind one.
      cost.latency = static_cast<float>(parameters.l2_latency);
      break;
    default:
      break;
  }
}

double result_latency(const simt::MachineFacts& facts, const ModelParameters& parameters, Unit unit) {
  if (unit == Unit::lsu || unit == Unit::adu || unit == Unit::uniform || unit == Unit::none)
    return parameters.shuffle_latency;
  const double cycles = sass::scoreboard_cycles(facts, parameters.architecture);
  // The cycles of a unit count separately.
  return std::max(0.0, cycles);
}

InstructionCost cost_of(const ExecutedInstruction& instruction, const ModelParameters& parameters,
                        const MemoryShare& share) {
  const simt::MachineFacts& facts = instruction.facts;
  const sass::HardwarePipes pipes = sass::pipes_of(facts, parameters.architecture);
  InstructionCost cost;
  cost.unit = unit_of(pipes);
  cost.fits_heavy = cost.unit == Unit::fma_light && parameters.architecture != 80;
  cost.stall_cycles = std::max<std::uint8_t>(instruction.scheduling.stall_cycles, 1);
  cost.write_scoreboard = instruction.scheduling.write_scoreboard;
  cost.read_scoreboard = instruction.scheduling.read_scoreboard;
  cost.wait_mask = instruction.scheduling.wait_mask;
  cost.issue_slots = static_cast<float>(issue_slots(cost.unit, parameters));
  cost.effect = effect_of(facts, instruction);
  cost.busy_cycles = static_cast<float>(unit_cycles(facts, pipes, cost.unit, parameters.architecture) *
                                        slowdown_of(cost.unit, parameters));
  if (cost.effect == Effect::delayed_result) {
    if (cost.write_scoreboard == sass::no_scoreboard && cost.read_scoreboard == sass::no_scoreboard)
      cost.effect = Effect::none;
    cost.latency = static_cast<float>(result_latency(facts, parameters, cost.unit));
  }
  if (cost.effect == Effect::wait_copies) cost.pending = facts.number;
  if (cost.effect == Effect::block_barrier) {
    cost.pending = facts.number;
    cost.warps = facts.warps;
    cost.only_arrives = facts.only_arrives;
    cost.defers_blocking = facts.defers_blocking;
    cost.busy_cycles = static_cast<float>(parameters.barrier_cycles_of_warp);
    cost.unit = Unit::adu;
  }
  // Different addresses of constant memory take turns (launches/mechanisms: constants_*).
  if (instruction.constants > 0)
    cost.busy_cycles = static_cast<float>(parameters.constant_load_cycles +
                                          (instruction.constants - 1) * parameters.constant_address_cycles);
  add_memory(instruction, facts, parameters, share, cost);
  return cost;
}

}  // namespace

double MemoryShare::lost_after(double bytes) const {
  if (lost_bytes <= kept_bytes) return 0;
  return std::clamp((bytes - kept_bytes) / (lost_bytes - kept_bytes), 0.0, 1.0);
}

std::vector<InstructionCost> instruction_costs(const ExecutedKernel& kernel,
                                               const ModelParameters& parameters, const MemoryShare& share) {
  std::vector<InstructionCost> costs;
  costs.reserve(kernel.code.size());
  const auto is_load = [](Effect effect) {
    return effect == Effect::global_load || effect == Effect::local_load;
  };
  std::uint16_t loads = 0;
  for (const ExecutedInstruction& instruction : kernel.code) {
    costs.push_back(cost_of(instruction, parameters, share));
    if (is_load(costs.back().effect)) costs.back().load_number = loads++;
  }
  return costs;
}

}  // namespace tilescope::model
