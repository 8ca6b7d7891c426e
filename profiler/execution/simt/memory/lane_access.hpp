#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"

/// Finds the memory that the lanes of a warp access, one lane after the other: for accesses that the fast path of
/// lane_addresses-inl.hpp does not handle, and for rare instructions.
namespace tilescope::simt {

/// The memory access of each lane of an instruction.
struct LaneRequest {
  /// generic: each lane's space is found from its address.
  Space space = Space::generic;
  Access access = Access::load;
  /// [B] of a lane
  std::uint8_t bytes = 0;
  /// [B] of one element of a vector
  std::uint8_t element_bytes = 0;
  /// [B] a power of two
  std::uint8_t alignment = 1;
  /// Whether the observer is notified: not for accesses that bypass the load and store units.
  bool is_told = true;
  /// For MemoryAccess.
  const std::uint64_t* source_addresses = nullptr;
  LaneMask source_lanes = 0;
};

/// The host memory of each lane.
struct LanePointers {
  /// Lanes that may access memory: those that did not fault.
  LaneMask lanes = 0;
  std::array<std::byte*, lane_count> at{};
};

/// Finds the memory of `lanes` at `addresses` (32 of them). The first invalid access is raised as a Fault
/// (Block::raise, which throws unless the observer continues); the other accesses are reported to the observer.
LanePointers resolve(Warp& warp, const Instruction& instruction, const LaneRequest& request, LaneMask lanes,
                     const std::uint64_t* addresses);

/// The 32 addresses of an instruction's address operand, of a 4- or 8-byte register.
std::array<std::uint64_t, lane_count> addresses_of(const Warp& warp, Slot base, int base_bytes,
                                                   std::int64_t offset);

/// The memory from a generic address of a lane's thread to the end of its piece; empty where there is none.
std::span<const std::byte> readable_memory(const Warp& warp, unsigned lane, std::uint64_t address);

/// Whether an access writes memory. An atomic does.
constexpr bool writes(Access access) {
  return access == Access::store || is_atomic(access) || access == Access::matrix_store ||
         access == Access::async_copy_issue || access == Access::async_copy_write;
}

}  // namespace tilescope::simt
