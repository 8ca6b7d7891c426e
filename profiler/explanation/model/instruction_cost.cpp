#include "profiler/explanation/model/instruction_cost.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "profiler/execution/sass/hardware_pipe.hpp"
#include "profiler/execution/sass/issue_intervals.hpp"

namespace tilescope::model {
namespace {

using sass::HardwarePipe;

constexpr double bytes_of_sector = 32;
constexpr double sectors_of_line = 4;

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

void add_memory(const ExecutedInstruction& instruction, const simt::MachineFacts& facts,
                const ModelParameters& parameters, InstructionCost& cost) {
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
      cost.busy_cycles =
          static_cast<float>(std::max({1.0, instruction.wavefronts, instruction.sectors / sectors_of_line}) *
                             parameters.lsu_slowdown);
      cost.l2_bytes = static_cast<float>(instruction.sectors * bytes_of_sector);
      cost.latency = static_cast<float>(parameters.l2_latency + parameters.async_copy_latency);
      break;
    case Effect::global_load:
      cost.busy_cycles = static_cast<float>(
          std::max({1.0, instruction.sectors * bytes_of_sector / parameters.l1_bytes_per_clk,
                    instruction.l1_wavefronts}) *
          parameters.lsu_slowdown);
      cost.l2_bytes = static_cast<float>(instruction.missed_sectors * bytes_of_sector);
      cost.missing_share = static_cast<float>(instruction.missing_share);
      cost.latency = static_cast<float>(parameters.l1_latency);
      for (unsigned axis = 0; axis < 3; ++axis)
        cost.shared_along |= static_cast<std::uint8_t>(instruction.is_shared_along[axis] ? 1u << axis : 0u);
      break;
    case Effect::global_store:
      cost.busy_cycles =
          static_cast<float>(std::max(1.0, instruction.sectors / sectors_of_line) * parameters.lsu_slowdown);
      cost.l2_bytes = static_cast<float>(instruction.sectors * bytes_of_sector);
      cost.latency = static_cast<float>(parameters.l1_latency);
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

InstructionCost cost_of(const ExecutedInstruction& instruction, const ModelParameters& parameters) {
  const simt::MachineFacts& facts = instruction.facts;
  const sass::HardwarePipes pipes = sass::pipes_of(facts, parameters.architecture);
  InstructionCost cost;
  cost.unit = unit_of(pipes);
  cost.fits_heavy = cost.unit == Unit::fma_light && parameters.architecture != 80;
  cost.stall_cycles = std::max<std::uint8_t>(instruction.scheduling.stall_cycles, 1);
  cost.write_scoreboard = instruction.scheduling.write_scoreboard;
  cost.read_scoreboard = instruction.scheduling.read_scoreboard;
  cost.wait_mask = instruction.scheduling.wait_mask;
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
    cost.busy_cycles = static_cast<float>(parameters.barrier_cycles_of_warp);
    cost.unit = Unit::adu;
  }
  add_memory(instruction, facts, parameters, cost);
  return cost;
}

}  // namespace

std::vector<InstructionCost> instruction_costs(const ExecutedKernel& kernel,
                                               const ModelParameters& parameters) {
  std::vector<InstructionCost> costs;
  costs.reserve(kernel.code.size());
  std::uint16_t loads = 0;
  for (const ExecutedInstruction& instruction : kernel.code) {
    costs.push_back(cost_of(instruction, parameters));
    if (costs.back().effect == Effect::global_load) costs.back().load_number = loads++;
  }
  return costs;
}

}  // namespace tilescope::model
