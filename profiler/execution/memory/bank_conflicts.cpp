#include "profiler/execution/memory/bank_conflicts.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "profiler/execution/memory/past_l1.hpp"
#include "profiler/execution/memory/shared_passes.hpp"

namespace tilescope {
namespace {

using simt::LaneMask;

std::uint32_t wavefronts_of_pass(const std::uint64_t* addresses, LaneMask lanes, int lane_bytes,
                                 bool each_counts) {
  PassBanks banks;
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) {
    for_each_word(addresses[std::countr_zero(rest)], lane_bytes,
                  [&](std::uint64_t word) { banks.add(word, each_counts); });
  }
  return banks.wavefronts();
}

std::uint32_t quarters_of(LaneMask lanes) {
  std::uint32_t quarters = 0;
  for (; lanes != 0; lanes >>= 8) quarters += (lanes & 0xffu) != 0;
  return quarters;
}

}  // namespace

SharedCost past_l1_cost(const std::uint64_t* addresses, const std::uint64_t* source_addresses, LaneMask lanes,
                        LaneMask reading) {
  const PastL1 past_l1(addresses, source_addresses, reading);
  const std::span<const LineMoves> moves = past_l1.moves();
  SharedCost cost;
  std::uint32_t lines = 0;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const auto of_line = [&](const LineMoves& other) { return other.line == moves[i].line; };
    if (std::any_of(moves.begin(), moves.begin() + static_cast<std::ptrdiff_t>(i), of_line)) continue;
    ++lines;
    std::uint32_t wavefronts = 0;
    for (const LineMoves& one : moves) {
      if (of_line(one))
        wavefronts += static_cast<std::uint32_t>(std::popcount(fewest_diagonals(one.sectors)));
    }
    cost.wavefronts += wavefronts;
    cost.degree = std::max(cost.degree, wavefronts);
  }
  cost.minimum = std::max(quarters_of(reading), lines);
  for_each_fill_pass(lanes, reading, [&](LaneMask in_pass) {
    const std::uint32_t wavefronts = fill_pass(addresses, source_addresses, in_pass, reading).wavefronts;
    cost.wavefronts += wavefronts;
    cost.minimum += 1;
    cost.degree = std::max(cost.degree, wavefronts);
  });
  return cost;
}

bool is_past_l1(int lane_bytes, bool has_source_addresses) {
  constexpr int past_l1_bytes = 16;  // of a lane: .cg has no other width
  return has_source_addresses && lane_bytes == past_l1_bytes;
}

SharedCost shared_cost(const simt::MemoryAccess& access) {
  if (is_past_l1(access.lane_bytes, access.source_addresses != nullptr))
    return past_l1_cost(access.addresses, access.source_addresses, access.lanes, access.source_lanes);
  return shared_cost(access.access, access.addresses, access.lanes, access.lane_bytes);
}

SharedCost shared_cost(simt::Access access, const std::uint64_t* addresses, LaneMask lanes, int lane_bytes) {
  SharedCost cost;
  for_each_pass(access, addresses, lanes, lane_bytes, [&](LaneMask in_pass) {
    const std::uint32_t wavefronts =
        wavefronts_of_pass(addresses, in_pass, lane_bytes, is_serialised(access));
    cost.wavefronts += wavefronts;
    cost.minimum += 1;
    cost.degree = std::max(cost.degree, wavefronts);
  });
  return cost;
}

}  // namespace tilescope
