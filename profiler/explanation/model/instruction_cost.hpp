#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/sass/opcode.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/model_parameters.hpp"

namespace tilescope::model {

/// A part of an SM that one instruction after the other keeps busy. Each quarter of the SM has its own, but for the last
/// two.
enum class Unit : std::uint8_t {
  /// The half of the FMA pipe for FADD, FMUL and FFMA alone, and the other one, which executes everything.
  fma_light,
  fma_heavy,
  alu,
  fp16,
  xu,
  tensor,
  uniform,
  adu,
  fp64,
  lsu,
  none,
};
inline constexpr std::size_t unit_count = 10;

using sass::Effect;

/// The cost of one instruction in the simulation. Times in cycles.
struct InstructionCost {
  Unit unit = Unit::none;
  Effect effect = Effect::none;
  /// May go to the heavy half instead, when that is free earlier.
  bool fits_heavy = false;
  std::uint8_t stall_cycles = 1;
  std::uint8_t write_scoreboard = sass::no_scoreboard, read_scoreboard = sass::no_scoreboard;
  std::uint8_t wait_mask = 0;
  /// Copies that wait_copies leaves pending; the number of a block_barrier.
  std::uint8_t pending = 0;
  /// Warps that a block_barrier waits for, 0 for all; and whether the warp goes on at once (BAR.ARV).
  std::uint8_t warps = 0;
  bool only_arrives = false;
  /// How long the unit is busy.
  float busy_cycles = 0;
  /// The part of it that is due to bank conflicts.
  float conflict_cycles = 0;
  /// From the end of the unit's work to the result; of a global load from L1.
  float latency = 0;
  /// [B] that pass between L2 and the SM, unless L1 has them from another block.
  float l2_bytes = 0;
  /// Share of a global_load's executions in which L1 lacks something, 0 to 1. l2_bytes is the mean of all.
  float missing_share = 1;
  /// Whether blocks that differ along x, y or z alone load the same: bits 0 to 2.
  std::uint8_t shared_along = 0;
  /// Number of a global_load among them.
  std::uint16_t load_number = 0;
};

/// By ExecutedKernel::code.
std::vector<InstructionCost> instruction_costs(const ExecutedKernel& kernel,
                                               const ModelParameters& parameters);

}  // namespace tilescope::model
