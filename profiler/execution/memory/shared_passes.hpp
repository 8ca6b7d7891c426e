#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"

/// The passes in which shared memory serves one access of a warp: the rules of shared_cost, written once for all that
/// count or show passes. Inline, because the interpreter counts them for every access.
namespace tilescope {

inline constexpr std::uint64_t bank_bytes = 4;
inline constexpr std::size_t bank_count = 32;
/// [B] Size of a line of global memory, and of a turn through the banks.
inline constexpr std::uint64_t line_bytes = 128;

/// Whether each lane counts, also on a word of another lane.
inline bool is_serialised(simt::Access access) {
  return access == simt::Access::atomic;
}

namespace detail {

// Every active lane n has the address of lane n ^ distance, where that is active too.
inline bool pairs_agree(const std::uint64_t* addresses, simt::LaneMask lanes, unsigned distance) {
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned partner = lane ^ distance;
    if ((lanes >> partner & 1u) != 0 && addresses[lane] != addresses[partner]) return false;
  }
  return true;
}

inline bool have_one_address(const std::uint64_t* addresses, simt::LaneMask lanes) {
  const std::uint64_t first = addresses[std::countr_zero(lanes)];
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    if (addresses[std::countr_zero(rest)] != first) return false;
  }
  return true;
}

}  // namespace detail

/// Neighbouring lanes that one pass serves as far as their width decides it.
inline int lanes_for_width(simt::Access access, int lane_bytes) {
  const bool is_matrix = access == simt::Access::matrix_load || access == simt::Access::matrix_store;
  if (is_matrix || lane_bytes > 8) return 8;
  return lane_bytes > 4 ? 16 : simt::lane_count;
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
    /// Number of the pass, from 0: the words of a bank move one after the other.
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
  std::array<std::array<std::uint64_t, simt::lane_count>, bank_count> words_;
  std::uint32_t worst_ = 0;
};

namespace detail {

inline std::uint32_t wavefronts_of(const std::uint64_t* addresses, simt::LaneMask lanes, int lane_bytes) {
  PassBanks banks;
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    for_each_word(addresses[std::countr_zero(rest)], lane_bytes,
                  [&](std::uint64_t word) { banks.add(word, false); });
  }
  return banks.wavefronts();
}

}  // namespace detail

/// Whether the lanes of two neighbouring passes of a load are one pass. `lanes` are all active lanes.
inline bool passes_merge(const std::uint64_t* addresses, simt::LaneMask lanes, simt::LaneMask first_pass,
                         simt::LaneMask second_pass, int lane_bytes) {
  const auto neighbours_agree = [&](simt::LaneMask among) {
    return detail::pairs_agree(addresses, among, 1) || detail::pairs_agree(addresses, among, 2);
  };
  const simt::LaneMask both = first_pass | second_pass;
  const bool is_lower_half = lane_bytes > 8 && (lanes >> simt::lane_count / 2) == 0;
  if (!is_lower_half && !neighbours_agree(both)) return false;
  const std::uint32_t merged = detail::wavefronts_of(addresses, both, lane_bytes);
  if (merged == 1) return true;
  return neighbours_agree(lanes) && merged == detail::wavefronts_of(addresses, first_pass, lane_bytes) +
                                                  detail::wavefronts_of(addresses, second_pass, lane_bytes);
}

/// Calls `visit` with the active lanes of each pass that has any.
template <class Visit>
void for_each_pass(simt::Access access, const std::uint64_t* addresses, simt::LaneMask lanes, int lane_bytes,
                   Visit visit) {
  const int pass_lanes = lanes_for_width(access, lane_bytes);
  const bool can_merge = access == simt::Access::load && lane_bytes > 4;
  if (can_merge && lane_bytes > 8 && std::popcount(lanes) <= simt::lane_count / 2 &&
      detail::have_one_address(addresses, lanes))
    return visit(lanes);
  const auto from = [&](int first, int count) {
    return simt::all_lanes >> (simt::lane_count - count) << first & lanes;
  };
  for (int first = 0; first < simt::lane_count; first += 2 * pass_lanes) {
    const simt::LaneMask first_pass = from(first, pass_lanes);
    const simt::LaneMask second_pass =
        first + pass_lanes < simt::lane_count ? from(first + pass_lanes, pass_lanes) : 0;
    if (can_merge && (first_pass | second_pass) != 0 &&
        passes_merge(addresses, lanes, first_pass, second_pass, lane_bytes)) {
      visit(first_pass | second_pass);
      continue;
    }
    if (first_pass != 0) visit(first_pass);
    if (second_pass != 0) visit(second_pass);
  }
}

}  // namespace tilescope
