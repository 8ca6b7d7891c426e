#include "profiler/memory/bank_conflicts.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "profiler/memory/sectors.hpp"

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

constexpr std::uint64_t chunk_bytes = 16;  // of a lane
constexpr std::uint64_t line_bytes = 128;  // of a line of global memory, and of a turn through the banks

// The wavefronts of chunks that go from one line to one turn in the same way. Each sector that moves has the bit 4 *
// source + target. A wavefront moves the sectors with one sum, or one difference, of source and target modulo 4.
std::uint32_t wavefronts_of_moves(std::uint16_t moves) {
  constexpr unsigned diagonals = 8;
  static const auto joined = [] {
    std::array<std::uint16_t, 1u << diagonals> moved_by{};  // for each set of diagonals
    for (unsigned set = 0; set < moved_by.size(); ++set) {
      for (unsigned move = 0; move < 16; ++move) {
        const unsigned source = move / 4, target = move % 4;
        const bool is_moved =
            (set >> (target + 4 - source) % 4 & 1u) != 0 || (set >> (4 + (source + target) % 4) & 1u) != 0;
        if (is_moved) moved_by[set] |= static_cast<std::uint16_t>(1u << move);
      }
    }
    return moved_by;
  }();
  int fewest = diagonals;
  for (unsigned set = 0; set < joined.size(); ++set) {
    if ((moves & ~joined[set]) == 0) fewest = std::min(fewest, std::popcount(set));
  }
  return static_cast<std::uint32_t>(fewest);
}

// Chunks that move in the same way: from one line to one turn, as whole sectors or as halves that keep or change their
// place.
struct Moves {
  std::uint64_t line = 0, turn = 0;
  unsigned kind = 0;  // 0 to 3: the source's half and the target's; 4: whole sectors
  std::uint16_t sectors = 0;
};

class PastL1 {
 public:
  void add(std::uint64_t from, std::uint64_t to, bool is_whole) {
    const auto half = [](std::uint64_t address) { return static_cast<unsigned>(address / chunk_bytes % 2); };
    const auto sector = [](std::uint64_t address) {
      return static_cast<unsigned>(address % line_bytes / sector_bytes);
    };
    const unsigned kind = is_whole ? 4 : 2 * half(from) + half(to);
    const std::uint64_t line = from / line_bytes, turn = to / line_bytes;
    std::size_t i = 0;
    while (i < used_ && (moves_[i].line != line || moves_[i].turn != turn || moves_[i].kind != kind)) ++i;
    if (i == used_) moves_[used_++] = {line, turn, kind, 0};
    moves_[i].sectors |= static_cast<std::uint16_t>(1u << (4 * sector(from) + sector(to)));
  }

  SharedCost cost(std::uint32_t passes) const {
    SharedCost cost;
    std::uint32_t lines = 0;
    for (std::size_t i = 0; i < used_; ++i) {
      const auto of_line = [&](const Moves& other) { return other.line == moves_[i].line; };
      if (std::find_if(moves_.begin(), moves_.begin() + i, of_line) != moves_.begin() + i) continue;
      ++lines;
      std::uint32_t wavefronts = 0;
      for (std::size_t j = i; j < used_; ++j) {
        if (of_line(moves_[j])) wavefronts += wavefronts_of_moves(moves_[j].sectors);
      }
      cost.wavefronts += wavefronts;
      cost.degree = std::max(cost.degree, wavefronts);
    }
    cost.minimum = std::max(passes, lines);
    return cost;
  }

 private:
  std::array<Moves, ptx::lane_count> moves_;  // the first used_
  std::size_t used_ = 0;
};

}  // namespace

SharedCost past_l1_cost(const std::uint64_t* addresses, const std::uint64_t* source_addresses,
                        LaneMask lanes) {
  PastL1 past_l1;
  LaneMask quarters = 0;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t from = source_addresses[lane], to = addresses[lane];
    // A sector is whole when another lane copies its other half to the same sector of shared memory.
    bool is_whole = false;
    for (LaneMask others = lanes; others != 0 && !is_whole; others &= others - 1) {
      const int other = std::countr_zero(others);
      is_whole = source_addresses[other] / chunk_bytes == (from / chunk_bytes ^ 1) &&
                 addresses[other] / sector_bytes == to / sector_bytes;
    }
    past_l1.add(from, to, is_whole);
    quarters |= LaneMask{1} << (lane / 8);
  }
  return past_l1.cost(static_cast<std::uint32_t>(std::popcount(quarters)));
}

SharedCost shared_cost(const ptx::MemoryAccess& access) {
  constexpr int past_l1_bytes = 16;  // of a lane: .cg has no other width
  if (access.source_addresses != nullptr && access.lane_bytes == past_l1_bytes) {
    return past_l1_cost(access.addresses, access.source_addresses, access.lanes);
  }
  return shared_cost(access.access, access.addresses, access.lanes, access.lane_bytes);
}

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
