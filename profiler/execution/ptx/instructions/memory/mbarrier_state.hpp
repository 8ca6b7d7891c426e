#pragma once

#include <cstdint>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/memory/lane_access.hpp"
#include "profiler/execution/simt/program.hpp"

/// The mbarrier object (PTX ISA, "mbarrier"): 8 bytes of shared memory with implementation-defined contents.
namespace tilescope::ptx {

struct MbarrierState {
  static constexpr std::uint32_t most_arrivals = (1u << 20) - 1;

  /// Arrivals that complete a phase.
  std::uint32_t expected = 0;
  /// Arrivals that the current phase still waits for.
  std::uint32_t pending = 0;
  /// [B] that the current phase still waits for.
  std::int32_t transactions = 0;
  /// Parity of the current phase: 0 for the first.
  bool phase = false;
  /// Initialised, and not invalidated.
  bool is_valid = false;

  std::uint64_t pack() const;
  static MbarrierState unpack(std::uint64_t word);

  /// Returns false when more arrive than are pending, which is undefined behaviour.
  bool arrive(std::uint32_t count);
  void add_transactions(std::int32_t bytes);
  void complete_phase_if_done();
};

/// The mbarriers of the active lanes; `a` of the instruction is their address in `space`, `width` the address's bytes.
/// Observers are not notified, because these accesses bypass the load and store units.
LanePointers mbarriers_at(Warp& warp, const Instruction& instruction, Space space);

/// Lets a lane arrive at the barrier at its address and returns the state before. Raises a Fault when there is no valid
/// barrier, or when more arrive than are expected.
std::uint64_t arrive_on(Warp& warp, const Instruction& instruction, unsigned lane, std::byte* barrier,
                        std::uint32_t count);

}  // namespace tilescope::ptx
