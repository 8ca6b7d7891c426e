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
  /// Issue slots of its quarter, on average; below 1 where it stands for a part of an instruction.
  float issue_slots = 1;
  std::uint8_t stall_cycles = 1;
  std::uint8_t write_scoreboard = sass::no_scoreboard, read_scoreboard = sass::no_scoreboard;
  std::uint8_t wait_mask = 0;
  /// Copies that wait_copies leaves pending; the number of a block_barrier.
  std::uint8_t pending = 0;
  /// Warps that a block_barrier waits for, 0 for all; whether the warp goes on at once (BAR.ARV), or with arithmetic until
  /// it is complete (DEFER_BLOCKING).
  std::uint8_t warps = 0;
  bool only_arrives = false, defers_blocking = false;
  /// How long the unit is busy.
  float busy_cycles = 0;
  /// The part of it that is due to bank conflicts.
  float conflict_cycles = 0;
  /// From the end of the unit's work to the result; of a global load from L1.
  float latency = 0;
  /// [B] that pass between L2 and the SM, unless L1 has them from another block.
  float l2_bytes = 0;
  /// For how long the ways from L2 and to L2 are busy, and the SM's share of DRAM.
  float read_cycles = 0, write_cycles = 0, dram_cycles = 0;
  /// For how long the atomic operation of all SMs together keep their common addresses busy.
  float queue_cycles = 0;
  /// Share of a load's executions that wait for DRAM, of those that wait for L2 or DRAM, 0 to 1; and whether L2 lost the data
  /// here and there, so that each load waits at other times than its neighbours. Else a block waits for all that it is
  /// the first to touch.
  float dram_share = 0;
  bool is_lost_here_and_there = false;
  /// Share of a load's executions that wait for more than L1, 0 to 1. l2_bytes is the mean of all.
  float waiting_share = 1;
  /// Whether blocks that differ along x, y or z alone load the same: bits 0 to 2.
  std::uint8_t shared_along = 0;
  /// Not executed, as if the code did not have it.
  bool is_left_out = false;
  /// Number of a global_load among them.
  std::uint16_t load_number = 0;
};

/// An SM's share of what lies behind L1.
struct MemoryShare {
  /// SMs that run, over all.
  double active = 1;
  /// [cycles] for a byte of DRAM.
  double dram_cycles_of_byte = 0;
  /// Part of the bytes behind L1 that are in DRAM, for loads and stores of global memory.
  double loads_from_dram = 0, stores_to_dram = 0;
  /// Which loads touch memory first is known: those alone wait for DRAM, as far as L2 lost what they touch.
  bool is_touch_known = false;
  /// The part of what a launch touches that L2 has lost when the next one begins.
  double lost = 0;
  /// [B] Data that a launch may touch before L2 loses any of them, and before it loses all.
  double kept_bytes = 0, lost_bytes = 1;
  /// Blocks that run at once.
  double running_blocks = 1;
  /// [cycles] by which an atomic operation on global memory lengthens the queue, when every SM executes one.
  double queue_cycles = 0;

  /// [B] of local memory that all threads that run at once use.
  double local_bytes = 0;

  /// The part of what was touched before that L2 has lost when so many bytes were touched since.
  double lost_after(double bytes) const;
};

/// By ExecutedKernel::code.
std::vector<InstructionCost> instruction_costs(const ExecutedKernel& kernel,
                                               const ModelParameters& parameters, const MemoryShare& share);

}  // namespace tilescope::model
