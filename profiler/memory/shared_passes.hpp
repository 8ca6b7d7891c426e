#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "profiler/ptx/observer.hpp"
#include "profiler/ptx/program.hpp"

/// The passes in which shared memory serves one access of a warp: the rules of shared_cost, written once for all that
/// count or show passes. Inline, because the interpreter counts them for every access.
namespace tilescope {

inline constexpr std::uint64_t bank_bytes = 4;
inline constexpr std::size_t bank_count = 32;
/// [B] Of a line of global memory, and of a turn through the banks.
inline constexpr std::uint64_t line_bytes = 128;

/// Whether each lane counts, also on a word of another lane.
inline bool is_serialised(ptx::Access access) {
  return access == ptx::Access::atomic;
}

namespace detail {

// Every active lane n has the address of lane n ^ distance, where that is active too.
inline bool pairs_agree(const std::uint64_t* addresses, ptx::LaneMask lanes, unsigned distance) {
  for (ptx::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned partner = lane ^ distance;
    if ((lanes >> partner & 1u) != 0 && addresses[lane] != addresses[partner]) return false;
  }
  return true;
}

}  // namespace detail

/// Neighbouring lanes that one pass serves as far as their width decides it.
inline int lanes_for_width(ptx::Access access, int lane_bytes) {
  const bool is_matrix = access == ptx::Access::matrix_load || access == ptx::Access::matrix_store;
  if (is_matrix || lane_bytes > 8) return 8;
  return lane_bytes > 4 ? 16 : ptx::lane_count;
}

/// Whether two neighbouring passes of such an access become one.
inline bool passes_merge(ptx::Access access, const std::uint64_t* addresses, ptx::LaneMask lanes,
                         int lane_bytes) {
  return access == ptx::Access::load && lane_bytes > 4 &&
         (detail::pairs_agree(addresses, lanes, 1) || detail::pairs_agree(addresses, lanes, 2));
}

/// Calls `visit` with the active lanes of each pass that has any.
template <class Visit>
void for_each_pass(ptx::Access access, const std::uint64_t* addresses, ptx::LaneMask lanes, int lane_bytes,
                   Visit visit) {
  int pass_lanes = lanes_for_width(access, lane_bytes);
  if (passes_merge(access, addresses, lanes, lane_bytes)) pass_lanes *= 2;
  for (int first = 0; first < ptx::lane_count; first += pass_lanes) {
    const ptx::LaneMask in_pass = ptx::all_lanes >> (ptx::lane_count - pass_lanes) << first & lanes;
    if (in_pass != 0) visit(in_pass);
  }
}

/// Calls `visit` with each word of 4 B that a lane accesses.
template <class Visit>
void for_each_word(std::uint64_t address, int lane_bytes, Visit visit) {
  const std::uint64_t last = (address + static_cast<std::uint64_t>(lane_bytes) - 1) / bank_bytes;
  for (std::uint64_t word = address / bank_bytes; word <= last; ++word) visit(word);
}

/// The words of one pass, bank by bank. A pass has at most 64 of them: 16 B of each of 8 lanes, twice that when merged.
class PassBanks {
 public:
  struct Place {
    std::size_t bank = 0;
    /// Of the pass, from 0: the words of a bank move one after the other.
    std::uint32_t wavefront = 0;
  };

  Place add(std::uint64_t word, bool each_counts) {
    const auto bank = static_cast<std::size_t>(word % bank_count);
    if (!each_counts) {
      for (std::uint32_t i = 0; i < used_[bank]; ++i) {
        if (words_[bank][i] == word) return {bank, i};
      }
    }
    const Place place{bank, used_[bank]};
    words_[bank][used_[bank]++] = word;
    worst_ = std::max(worst_, used_[bank]);
    return place;
  }
  std::uint32_t wavefronts() const { return worst_; }
  /// Words of a bank.
  std::uint32_t words(std::size_t bank) const { return used_[bank]; }

 private:
  std::array<std::uint32_t, bank_count> used_{};
  // The first used_ of each are set.
  std::array<std::array<std::uint64_t, ptx::lane_count>, bank_count> words_;
  std::uint32_t worst_ = 0;
};

}  // namespace tilescope
