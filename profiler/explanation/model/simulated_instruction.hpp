#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiler/execution/sass/issue_intervals.hpp"
#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/model_parameters.hpp"
#include "profiler/explanation/model/stall_reasons.hpp"
#include "profiler/explanation/model/warp_scheduler.hpp"

namespace tilescope::model {

/// Figures that every issue of an instruction needs, worked out once for a simulation, which issues up to a million of
/// them. Times in cycles.
struct SimulatedInstruction {
  double issue_slots = 1;
  double busy_cycles = 0;
  /// Beyond the cycle of its issue.
  double stall_wait = 0;
  /// From the end of the unit's work to the result, in an idle SM.
  double latency = 0;
  /// `busy_cycles` where that is a whole number.
  std::uint32_t whole_cycles = 0;
  bool has_whole_cycles = false;
  std::uint8_t stall_cycles = 1;
  std::uint8_t wait_mask = 0;
  WarpScheduler::Gate gate = WarpScheduler::no_gate;
  Unit unit = Unit::none;
  Effect effect = Effect::none;
  /// A unit of the quarter that takes one instruction after the other; one of all quarters together.
  bool has_pipe = false, shares_pipe = false;
  bool fits_heavy = false;
  /// More happens than that a unit of the quarter is busy.
  bool has_effect = false;
  bool is_left_out = false, goes_ahead_of_barrier = false, is_of_memory = false;
  /// The wait of a warp until the unit takes the instruction, and until its result is there.
  Wait unit_wait = Wait::arithmetic, result_wait = Wait::arithmetic;
  Stall unit_stall = Stall::math_pipe_throttle, result_stall = Stall::short_scoreboard;
};

inline WarpScheduler::Gate gate_of(const InstructionCost& cost) {
  if (cost.unit == Unit::adu || cost.unit == Unit::none) return WarpScheduler::no_gate;
  return cost.fits_heavy ? WarpScheduler::either_fma : static_cast<WarpScheduler::Gate>(cost.unit);
}

inline SimulatedInstruction simulated(const InstructionCost& cost, const ModelParameters& parameters) {
  SimulatedInstruction one;
  one.issue_slots = cost.issue_slots;
  one.busy_cycles = cost.busy_cycles;
  constexpr double most_whole = 1e6;
  one.whole_cycles = static_cast<std::uint32_t>(std::clamp(one.busy_cycles, 0.0, most_whole));
  one.has_whole_cycles = static_cast<double>(one.whole_cycles) == one.busy_cycles;
  one.stall_wait = cost.stall_cycles > 1 ? cost.stall_cycles - 1 : 0;
  one.latency = cost.latency;
  one.stall_cycles = cost.stall_cycles;
  one.wait_mask = cost.wait_mask;
  one.gate = gate_of(cost);
  one.unit = cost.unit;
  one.effect = cost.effect;
  one.has_pipe = cost.unit != Unit::lsu && cost.unit != Unit::adu && cost.unit != Unit::none;
  one.shares_pipe = cost.unit == Unit::fp64 &&
                    sass::is_shared_by_quarters(sass::HardwarePipe::fp64, parameters.architecture);
  one.fits_heavy = cost.fits_heavy;
  one.has_effect = cost.unit == Unit::lsu || cost.effect != Effect::none;
  one.is_left_out = cost.is_left_out;
  one.goes_ahead_of_barrier = goes_ahead_of_barrier(cost);
  one.is_of_memory = is_of_memory(cost.effect);
  one.unit_wait = one.is_of_memory ? Wait::global_memory : wait_for(cost.unit);
  one.result_wait = cost.effect == Effect::memory_fence ? Wait::global_memory : one.unit_wait;
  one.unit_stall = stall_for_unit(cost.unit, cost.effect);
  one.result_stall = stall_for_result(cost.effect);
  return one;
}

/// By InstructionCost.
inline std::vector<SimulatedInstruction> simulated(const std::vector<InstructionCost>& costs,
                                                   const ModelParameters& parameters) {
  std::vector<SimulatedInstruction> instructions;
  instructions.reserve(costs.size());
  for (const InstructionCost& cost : costs) instructions.push_back(simulated(cost, parameters));
  return instructions;
}

}  // namespace tilescope::model
