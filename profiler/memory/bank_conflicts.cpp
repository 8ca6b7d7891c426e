#include "profiler/memory/bank_conflicts.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tilescope {
namespace {

using ptx::LaneMask;

constexpr std::uint64_t bank_bytes = 4;
constexpr std::size_t bank_count = 32;

// Every active lane n has the address of lane n ^ distance, where that is active too.
bool pairs_agree(const std::uint64_t* addresses, LaneMask lanes, unsigned distance) {
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const unsigned partner = lane ^ distance;
    if ((lanes >> partner & 1u) != 0 && addresses[lane] != addresses[partner]) return false;
  }
  return true;
}

bool can_merge(const std::uint64_t* addresses, LaneMask lanes) {
  return pairs_agree(addresses, lanes, 1) || pairs_agree(addresses, lanes, 2);
}

// The words of one pass, bank by bank. A pass has at most 64 of them: 16 B of each of 8 lanes, twice that when merged.
class Pass {
 public:
  void add(std::uint64_t word, bool same_word_counts) {
    const auto bank = static_cast<std::size_t>(word % bank_count);
    if (!same_word_counts) {
      for (std::uint32_t i = 0; i < used_[bank]; ++i) {
        if (words_[bank][i] == word) return;
      }
    }
    words_[bank][used_[bank]++] = word;
    worst_ = std::max(worst_, used_[bank]);
  }
  std::uint32_t wavefronts() const { return worst_; }

 private:
  std::array<std::uint32_t, bank_count> used_{};
  std::array<std::array<std::uint64_t, ptx::lane_count>, bank_count>
      words_;  // the first used_ of each are set
  std::uint32_t worst_ = 0;
};

std::uint32_t wavefronts_of_pass(const std::uint64_t* addresses, LaneMask lanes, int lane_bytes,
                                 bool same_word_counts) {
  Pass pass;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[std::countr_zero(rest)];
    const std::uint64_t last = (address + static_cast<std::uint64_t>(lane_bytes) - 1) / bank_bytes;
    for (std::uint64_t word = address / bank_bytes; word <= last; ++word) pass.add(word, same_word_counts);
  }
  return pass.wavefronts();
}

}  // namespace

SharedCost shared_cost(ptx::Access access, const std::uint64_t* addresses, LaneMask lanes, int lane_bytes) {
  const bool is_matrix = access == ptx::Access::matrix_load || access == ptx::Access::matrix_store;
  int pass_lanes = ptx::lane_count;
  if (is_matrix || lane_bytes > 8) {
    pass_lanes = 8;
  } else if (lane_bytes > 4) {
    pass_lanes = 16;
  }
  if (access == ptx::Access::load && lane_bytes > 4 && can_merge(addresses, lanes)) pass_lanes *= 2;

  SharedCost cost;
  for (int first = 0; first < ptx::lane_count; first += pass_lanes) {
    const LaneMask in_pass = ptx::all_lanes >> (ptx::lane_count - pass_lanes) << first & lanes;
    if (in_pass == 0) continue;
    const std::uint32_t wavefronts =
        wavefronts_of_pass(addresses, in_pass, lane_bytes, access == ptx::Access::atomic);
    cost.wavefronts += wavefronts;
    cost.minimum += 1;
    cost.degree = std::max(cost.degree, wavefronts);
  }
  return cost;
}

}  // namespace tilescope
