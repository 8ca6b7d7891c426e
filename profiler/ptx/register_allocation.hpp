#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/ptx/control_flow.hpp"
#include "profiler/ptx/program.hpp"

namespace tilescope::ptx {

/// What one instruction does with the virtual registers, in any order.
struct RegisterUse {
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
  /// A guarded instruction may leave its results as they were: they are live before it too.
  bool may_not_write = false;
};

/// A run of instructions [first, end) with one way in and its end as the way out.
struct InstructionRange {
  std::uint32_t first = 0, end = 0;
};

/// The slots of a register by the bytes of a lane; of a predicate, which has 0, one.
int slots_for(int lane_bytes);

struct RegisterAllocation {
  std::vector<Slot> slot_of;  ///< By virtual register.
  std::uint32_t slots = 0;    ///< All that a warp needs.
};

/// Gives registers that are never live together the same slots: PTX has thousands of registers, of which about as many
/// as the hardware's are live at a time, and a warp's 32 lanes of those stay in a core's first cache. Linear scan (Poletto
/// and Sarkar 1999) over live intervals of the code in its order. A result never shares a slot with a source of its own
/// instruction. Registers are live in each lane by that lane's own path, which is the path of a plain program: handlers
/// write the lanes of Warp::exec only, so that lanes which wait elsewhere keep their values in a slot that others reuse.
/// This holds as long as a lane has the same bytes in both registers: only registers of one size share slots.
///
/// `lane_bytes` is the size of each virtual register: 2, 4, 8 or 16, or 0 of a predicate; `live_at_start` are filled before
/// the first instruction.
RegisterAllocation allocate_registers(std::span<const std::uint8_t> lane_bytes,
                                      std::span<const RegisterUse> instructions,
                                      std::span<const InstructionRange> blocks, const ControlFlowGraph& graph,
                                      std::span<const std::uint32_t> live_at_start);

}  // namespace tilescope::ptx
