#pragma once

#include "profiler/explanation/model/instruction_cost.hpp"
#include "profiler/explanation/model/wait.hpp"

/// Waits of a simulated warp, by the instruction that it waits for.
namespace tilescope::model {

/// The wait for a unit that is busy.
inline Wait wait_for(Unit unit) {
  switch (unit) {
    case Unit::tensor:
      return Wait::tensor;
    case Unit::xu:
      return Wait::xu;
    case Unit::lsu:
      return Wait::shared_memory;
    default:
      return Wait::arithmetic;
  }
}

/// Accesses to memory that is not shared memory.
inline bool is_of_memory(Effect effect) {
  switch (effect) {
    case Effect::global_load:
    case Effect::global_store:
    case Effect::local_load:
    case Effect::local_store:
    case Effect::global_atomic:
    case Effect::global_reduction:
    case Effect::async_copy:
      return true;
    default:
      return false;
  }
}

/// A warp that waits for the result of an instruction.
inline Stall stall_for_result(Effect effect) {
  if (effect == Effect::memory_fence) return Stall::membar;
  return is_of_memory(effect) ? Stall::long_scoreboard : Stall::short_scoreboard;
}

/// A warp that waits until a unit takes its instruction.
inline Stall stall_for_unit(Unit unit, Effect effect) {
  if (unit == Unit::xu) return Stall::mio_throttle;
  if (unit != Unit::lsu) return Stall::math_pipe_throttle;
  return is_of_memory(effect) ? Stall::lg_throttle : Stall::mio_throttle;
}

/// Whether a warp executes an instruction while it waits at a block barrier that defers blocking. It is held back before its
/// next branch, access to memory or read of a special register; arithmetic goes on (hardware/barriers.cu; the stalls that
/// Nsight Compute shows per instruction on an H200).
inline bool goes_ahead_of_barrier(const InstructionCost& cost) {
  switch (cost.unit) {
    case Unit::fma_light:
    case Unit::fma_heavy:
    case Unit::alu:
    case Unit::fp16:
    case Unit::tensor:
      return cost.effect == Effect::none || cost.effect == Effect::delayed_result;
    default:
      return false;
  }
}

}  // namespace tilescope::model
