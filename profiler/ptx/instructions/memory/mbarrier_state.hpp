#pragma once

#include <cstdint>

#include "profiler/ptx/instructions/memory/lane_access.hpp"
#include "profiler/ptx/program.hpp"

/// The mbarrier object (PTX ISA, "mbarrier"): 8 bytes of shared memory whose contents are the implementation's own.
namespace tilescope::ptx {

struct MbarrierState {
  static constexpr std::uint32_t most_arrivals = (1u << 20) - 1;

  std::uint32_t expected = 0;     ///< Arrivals that complete a phase.
  std::uint32_t pending = 0;      ///< Arrivals that the current phase still waits for.
  std::int32_t transactions = 0;  ///< [B] that the current phase still waits for.
  bool phase = false;             ///< Of the current phase: 0 for the first.
  bool is_valid = false;          ///< Initialised, and not invalidated.

  std::uint64_t pack() const;
  static MbarrierState unpack(std::uint64_t word);

  /// False when more arrive than are pending: what happens then is undefined.
  bool arrive(std::uint32_t count);
  void add_transactions(std::int32_t bytes);
  void complete_phase_if_done();
};

/// The mbarriers of the active lanes; `a` of the instruction is their address in `space`, `width` the address's bytes.
/// They are not told to observers: they do not go through the load and store units.
LanePointers mbarriers_at(Warp& warp, const Instruction& instruction, Space space);

/// What an arriving lane does to the barrier at its address. Raises a Fault when there is no valid barrier, or when more
/// arrive than are expected; gives the state before.
std::uint64_t arrive_on(Warp& warp, const Instruction& instruction, unsigned lane, std::byte* barrier,
                        std::uint32_t count);

}  // namespace tilescope::ptx
