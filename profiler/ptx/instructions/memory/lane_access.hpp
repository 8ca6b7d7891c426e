#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "profiler/ptx/observer.hpp"
#include "profiler/ptx/program.hpp"

/// Where the lanes of a warp access memory, one lane after the other: for everything that the fast ways of
/// lane_addresses-inl.hpp do not take, and for instructions that are rare.
namespace tilescope::ptx {

/// What each lane of an instruction accesses.
struct LaneRequest {
  Space space = Space::generic;  ///< generic: each lane's own is found from its address.
  Access access = Access::load;
  std::uint8_t bytes = 0;          ///< [B] of a lane
  std::uint8_t element_bytes = 0;  ///< [B] of one element of a vector
  std::uint8_t alignment = 1;      ///< [B] a power of two
  bool is_told =
      true;  ///< Whether the observer is: not of what does not go through the load and store units.
  const std::uint64_t* source_addresses = nullptr;  ///< For MemoryAccess::source_addresses.
};

/// Memory of the host's for each lane.
struct LanePointers {
  LaneMask lanes = 0;  ///< Those that may access: without the ones that faulted.
  std::array<std::byte*, lane_count> at{};
};

/// Finds the memory of `lanes` at `addresses` (32 of them). The first lane whose access a GPU ends the kernel for is
/// raised as a Fault (Block::raise, which throws unless the observer goes on); the observer is told of the others.
LanePointers resolve(Warp& warp, const Instruction& instruction, const LaneRequest& request, LaneMask lanes,
                     const std::uint64_t* addresses);

/// The 32 addresses of an instruction's address operand, of a 4- or 8-byte register.
std::array<std::uint64_t, lane_count> addresses_of(const Warp& warp, Slot base, int base_bytes,
                                                   std::int64_t offset);

/// Atomics, and all else that the host executes for one block at a time alone, say that they write.
constexpr bool writes(Access access) {
  return access == Access::store || access == Access::atomic || access == Access::matrix_store ||
         access == Access::async_copy_issue || access == Access::async_copy_write;
}

}  // namespace tilescope::ptx
