#include "profiler/model/instruction_cost.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "profiler/sass/hardware_pipe.hpp"
#include "profiler/sass/issue_intervals.hpp"

namespace tilescope::model {
namespace {

using sass::HardwarePipe;
using sass::InstructionText;

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

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

Effect effect_of(const InstructionText& text, const ExecutedInstruction& instruction) {
  const std::string_view name = text.name();
  if (is_any(name, {"BAR"})) return Effect::block_barrier;
  if (name == "MEMBAR" && !text.has("CTA")) return Effect::memory_fence;
  if (name == "LDGSTS") return Effect::async_copy;
  if (name == "LDGDEPBAR") return Effect::commit_copies;
  if (name == "DEPBAR") return Effect::wait_copies;
  if (is_any(name, {"BRA", "BRX", "CALL", "RET", "JMP"})) return Effect::jump;
  if (is_any(name, {"LDS", "STS", "LDSM", "STSM", "ATOMS"})) return Effect::shared_access;
  if (is_any(name, {"LD", "ST"}) && instruction.wavefronts > 0) return Effect::shared_access;
  if (is_any(name, {"LDG", "LD", "LDL", "ATOM", "ATOMG"})) return Effect::global_load;
  if (is_any(name, {"STG", "ST", "STL", "RED", "REDG"})) return Effect::global_store;
  return Effect::delayed_result;
}

// [B] of a lane: "LDS.128", "LDG.E.64.CONSTANT"; 4 where the text names no width.
int lane_bytes(const InstructionText& text) {
  if (text.has("128")) return 16;
  if (text.has("64")) return 8;
  return 4;
}

// 0, 1, 2 for 1, 2, 4 matrices
std::size_t matrices_index(const InstructionText& text) {
  return text.has("4") ? 2 : text.has("2") ? 1 : 0;
}

double shared_latency(const InstructionText& text, const ModelParameters& parameters) {
  if (text.name() == "LDSM") return parameters.ldmatrix_latency[matrices_index(text)];
  const int bytes = lane_bytes(text);
  return parameters.shared_latency[bytes == 16 ? 2 : bytes == 8 ? 1 : 0];
}

// The last number of "SB0, 0x1".
unsigned last_number(std::string_view operands) {
  const std::size_t at = operands.rfind("0x");
  if (at == std::string_view::npos) return 0;
  unsigned value = 0;
  std::from_chars(operands.data() + at + 2, operands.data() + operands.size(), value, 16);
  return value;
}

// "0x1, 0x80": the barrier's number and its threads. "R5" is a number that only the run knows: taken for all warps.
void read_barrier(std::string_view operands, InstructionCost& cost) {
  const std::size_t comma = operands.find(',');
  cost.pending = static_cast<std::uint8_t>(last_number(operands.substr(0, comma)) & 15u);
  if (comma != std::string_view::npos)
    cost.warps = static_cast<std::uint8_t>(last_number(operands.substr(comma)) / 32);
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

double unit_cycles(const InstructionText& text, const sass::HardwarePipes& pipes, Unit unit,
                   int architecture) {
  double cycles = 0;
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    const auto pipe = static_cast<HardwarePipe>(i);
    if (pipes.test(i)) cycles = std::max(cycles, sass::pipe_cycles(pipe, text, architecture));
  }
  // With two halves, one half takes an instruction for twice as long as both together would.
  if (unit == Unit::fma_light && cycles == 1) cycles = 2;
  return cycles;
}

void add_memory(const ExecutedInstruction& instruction, const InstructionText& text,
                const ModelParameters& parameters, InstructionCost& cost) {
  switch (cost.effect) {
    case Effect::shared_access: {
      const double wavefronts = std::max(1.0, instruction.wavefronts);
      cost.busy_cycles = static_cast<float>(wavefronts * parameters.lsu_slowdown);
      cost.conflict_cycles = static_cast<float>((instruction.wavefronts - instruction.wavefronts_minimum) *
                                                parameters.lsu_slowdown);
      cost.latency = static_cast<float>(shared_latency(text, parameters));
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

double result_latency(const InstructionText& text, const ModelParameters& parameters, Unit unit) {
  if (unit == Unit::lsu || unit == Unit::adu || unit == Unit::uniform || unit == Unit::none)
    return parameters.shuffle_latency;
  const double cycles = sass::scoreboard_cycles(text, parameters.architecture);
  // The cycles of a unit count separately.
  return std::max(0.0, cycles);
}

InstructionCost cost_of(const ExecutedInstruction& instruction, const ModelParameters& parameters) {
  const InstructionText text(instruction.text);
  const sass::HardwarePipes pipes = sass::pipes_of(text, parameters.architecture);
  InstructionCost cost;
  cost.unit = unit_of(pipes);
  cost.fits_heavy = cost.unit == Unit::fma_light && parameters.architecture != 80;
  cost.stall_cycles = std::max<std::uint8_t>(instruction.scheduling.stall_cycles, 1);
  cost.write_scoreboard = instruction.scheduling.write_scoreboard;
  cost.read_scoreboard = instruction.scheduling.read_scoreboard;
  cost.wait_mask = instruction.scheduling.wait_mask;
  cost.effect = effect_of(text, instruction);
  cost.busy_cycles = static_cast<float>(unit_cycles(text, pipes, cost.unit, parameters.architecture) *
                                        slowdown_of(cost.unit, parameters));
  if (cost.effect == Effect::delayed_result) {
    if (cost.write_scoreboard == sass::no_scoreboard && cost.read_scoreboard == sass::no_scoreboard)
      cost.effect = Effect::none;
    cost.latency = static_cast<float>(result_latency(text, parameters, cost.unit));
  }
  if (cost.effect == Effect::wait_copies)
    cost.pending = static_cast<std::uint8_t>(last_number(text.operands()));
  if (cost.effect == Effect::block_barrier) {
    read_barrier(text.operands(), cost);
    cost.only_arrives = text.has("ARV");
    cost.busy_cycles = static_cast<float>(parameters.barrier_cycles_of_warp);
    cost.unit = Unit::adu;
  }
  add_memory(instruction, text, parameters, cost);
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
