#pragma once

#include <bit>
#include <cstdint>

#include "profiler/execution/simt/observer.hpp"

namespace tilescope {

inline constexpr std::uint64_t shared_word_bytes = 4;

/// Calls `visit` with the number of each word of shared memory that an access writes, by lanes; nothing for another
/// access. A word may come more than once.
template <class Visit>
void for_each_written_word(const simt::MemoryAccess& access, Visit visit) {
  using simt::Access;
  const bool writes = access.access == Access::store || access.access == Access::matrix_store ||
                      access.access == Access::async_copy_write || is_atomic(access.access);
  if (access.space != simt::Space::shared || !writes) return;
  // A lane of a matrix store gives the address of a row of 16 bytes.
  const std::uint64_t bytes = access.access == Access::matrix_store ? 16 : access.lane_bytes;
  for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t first = access.addresses[std::countr_zero(rest)];
    const std::uint64_t end = (first + bytes + shared_word_bytes - 1) / shared_word_bytes;
    for (std::uint64_t word = first / shared_word_bytes; word < end; ++word) visit(word);
  }
}

}  // namespace tilescope
