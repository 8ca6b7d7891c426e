#include "profiler/execution/memory/past_l1.hpp"

#include <algorithm>
#include <bit>

#include "profiler/execution/memory/sectors.hpp"
#include "profiler/execution/memory/shared_passes.hpp"

namespace tilescope {
namespace {

constexpr std::uint64_t chunk_bytes = 16;  // of a lane
constexpr unsigned diagonals = 8;

unsigned half(std::uint64_t address) {
  return static_cast<unsigned>(address / chunk_bytes % 2);
}

}  // namespace

unsigned sector_in_line(std::uint64_t address) {
  return static_cast<unsigned>(address % line_bytes / sector_bytes);
}

PastL1::PastL1(const std::uint64_t* addresses, const std::uint64_t* source_addresses, simt::LaneMask lanes) {
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const std::uint64_t from = source_addresses[lane], to = addresses[lane];
    // A sector is whole when another lane copies its other half to the same sector of shared memory.
    bool is_whole = false;
    for (simt::LaneMask others = lanes; others != 0 && !is_whole; others &= others - 1) {
      const int other = std::countr_zero(others);
      is_whole = source_addresses[other] / chunk_bytes == (from / chunk_bytes ^ 1) &&
                 addresses[other] / sector_bytes == to / sector_bytes;
    }
    const unsigned kind = is_whole ? 4 + (half(from) ^ half(to)) : 2 * half(from) + half(to);
    LineMoves& moves = find(from / line_bytes, to / line_bytes, kind);
    moves.sectors |= static_cast<std::uint16_t>(1u << (4 * sector_in_line(from) + sector_in_line(to)));
    moves.lanes |= simt::LaneMask{1} << lane;
  }
}

LineMoves& PastL1::find(std::uint64_t line, std::uint64_t turn, unsigned kind) {
  std::size_t i = 0;
  while (i < used_ && (moves_[i].line != line || moves_[i].turn != turn || moves_[i].kind != kind)) ++i;
  if (i == used_) moves_[used_++] = {line, turn, kind, 0, 0};
  return moves_[i];
}

FillPass fill_pass(const std::uint64_t* addresses, const std::uint64_t* source_addresses,
                   simt::LaneMask lanes, simt::LaneMask reading) {
  FillPass pass;
  PassBanks targets;
  for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    for_each_word(addresses[lane], chunk_bytes, [&](std::uint64_t word) {
      std::uint32_t& turn = pass.of_lane[static_cast<std::size_t>(lane)];
      turn = std::max(turn, targets.add(word, false).wavefront);
    });
  }
  std::array<std::uint32_t, simt::lane_count> turns = pass.of_lane;
  for (std::uint32_t turn = 0; turn < targets.wavefronts(); ++turn) {
    PassBanks sources;
    for (simt::LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      if (turns[lane] != turn) continue;
      std::uint32_t later = 0;
      if ((reading >> lane & 1u) != 0) {
        for_each_word(source_addresses[lane], chunk_bytes, [&](std::uint64_t word) {
          later = std::max(later, sources.add(word, false).wavefront);
        });
      }
      pass.of_lane[lane] = pass.wavefronts + later;
    }
    pass.wavefronts += std::max(1u, sources.wavefronts());
  }
  return pass;
}

bool is_on_diagonal(unsigned diagonal, unsigned source, unsigned target) {
  return diagonal < 4 ? (target + 4 - source) % 4 == diagonal : (source + target) % 4 == diagonal - 4;
}

unsigned fewest_diagonals(std::uint16_t sectors) {
  struct Set {
    unsigned diagonals = 0;
    std::uint16_t moved = 0;
  };
  // All sets, fewer diagonals first.
  static const auto sets = [] {
    std::array<Set, 1u << diagonals> all{};
    for (unsigned set = 0; set < all.size(); ++set) {
      all[set].diagonals = set;
      for (unsigned move = 0; move < 16; ++move) {
        for (unsigned diagonal = 0; diagonal < diagonals; ++diagonal) {
          if ((set >> diagonal & 1u) != 0 && is_on_diagonal(diagonal, move / 4, move % 4))
            all[set].moved |= static_cast<std::uint16_t>(1u << move);
        }
      }
    }
    std::ranges::stable_sort(all, {}, [](const Set& set) { return std::popcount(set.diagonals); });
    return all;
  }();
  return std::ranges::find_if(sets, [&](const Set& set) { return (sectors & ~set.moved) == 0; })->diagonals;
}

}  // namespace tilescope
