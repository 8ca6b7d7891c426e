#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "profiler/execution/ptx/control_flow.hpp"
#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope::ptx {

/// The virtual registers that one instruction reads and writes, in any order.
struct RegisterUse {
  std::vector<std::uint32_t> reads;
  std::vector<std::uint32_t> writes;
  /// A guarded instruction may leave its results unchanged, so they are live before it too.
  bool may_not_write = false;
};

/// Instructions [first, end) that are entered at `first` and left at `end`.
struct InstructionRange {
  std::uint32_t first = 0, end = 0;
};

/// Slots that a register takes; `lane_bytes` is 0 for a predicate, which takes 1.
int slots_for(int lane_bytes);

/// Instructions from the first that uses a register to the last, as far as its value is needed between them.
struct LiveInterval {
  /// no_index: never used.
  std::uint32_t first = no_index, last = 0;
};

struct RegisterAllocation {
  /// By virtual register.
  std::vector<Slot> slot_of;
  std::vector<LiveInterval> live;
  /// The total that a warp needs.
  std::uint32_t slots = 0;
};

/// Assigns the same slots to registers that are never live together. PTX has thousands of registers, but only about as
/// many as the hardware has are live at a time, and a warp's 32 lanes of those fit a core's first-level cache. Linear
/// scan (Poletto and Sarkar 1999) over live intervals in code order. A result never shares a slot with a source of its
/// own instruction. Liveness follows each lane's own path, as in a sequential program: handlers write only the lanes of
/// Warp::exec, so that lanes waiting elsewhere keep their values in a slot that others reuse. This requires that a lane
/// has the same bytes in both registers, so only registers of one size share slots.
///
/// `lane_bytes` is the size of each virtual register: 2, 4, 8 or 16, or 0 for a predicate. `live_at_start` are filled
/// before the first instruction.
RegisterAllocation allocate_registers(std::span<const std::uint8_t> lane_bytes,
                                      std::span<const RegisterUse> instructions,
                                      std::span<const InstructionRange> blocks, const ControlFlowGraph& graph,
                                      std::span<const std::uint32_t> live_at_start);

}  // namespace tilescope::ptx
