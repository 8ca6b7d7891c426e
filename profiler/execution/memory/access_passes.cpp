#include "profiler/execution/memory/access_passes.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "profiler/execution/memory/past_l1.hpp"
#include "profiler/execution/memory/shared_passes.hpp"

namespace tilescope {
namespace {

using simt::LaneMask;

template <class Visit>
void for_each_lane(LaneMask lanes, Visit visit) {
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) visit(std::countr_zero(rest));
}

LaneMask bit_of(int lane) {
  return LaneMask{1} << lane;
}

void sort_words(AccessPass& pass) {
  std::ranges::sort(pass.words, {}, [](const BankWord& word) {
    return std::tuple(word.bank, word.wavefront, word.word, word.lanes);
  });
}

AccessPass pass_of(const std::uint64_t* addresses, LaneMask lanes, int lane_bytes, bool each_counts) {
  AccessPass pass;
  pass.lanes = lanes;
  PassBanks banks;
  std::map<std::pair<std::size_t, std::uint32_t>, BankWord> words;
  for_each_lane(lanes, [&](int lane) {
    for_each_word(addresses[lane], lane_bytes, [&](std::uint64_t word) {
      const PassBanks::Place place = banks.add(word, each_counts);
      BankWord& entry = words[{place.bank, place.wavefront}];
      entry = {word, static_cast<std::uint32_t>(place.bank), place.wavefront, entry.lanes | bit_of(lane)};
    });
  });
  for (const auto& [place, word] : words) {
    pass.words.push_back(word);
    if (banks.words(word.bank) > 1) pass.colliding |= word.lanes;
    if (std::popcount(word.lanes) > 1) pass.sharing |= word.lanes;
  }
  pass.wavefronts = banks.wavefronts();
  sort_words(pass);
  return pass;
}

void add_moves(AccessPass& pass, const LineMoves& moves, const std::uint64_t* addresses,
               const std::uint64_t* source_addresses) {
  constexpr int chunk_bytes = 16;
  std::uint32_t next = pass.wavefronts;
  LaneMask rest = moves.lanes;
  for (unsigned set = fewest_diagonals(moves.sectors); set != 0; set &= set - 1, ++next) {
    const auto diagonal = static_cast<unsigned>(std::countr_zero(set));
    for_each_lane(rest, [&](int lane) {
      if (!is_on_diagonal(diagonal, sector_in_line(source_addresses[lane]), sector_in_line(addresses[lane])))
        return;
      rest &= ~bit_of(lane);
      for_each_word(addresses[lane], chunk_bytes, [&](std::uint64_t word) {
        pass.words.push_back({word, static_cast<std::uint32_t>(word % bank_count), next, bit_of(lane)});
      });
    });
  }
  pass.wavefronts = next;
  pass.lanes |= moves.lanes;
}

AccessPass fill_pass_of(const std::uint64_t* addresses, const std::uint64_t* source_addresses, LaneMask lanes,
                        LaneMask reading) {
  constexpr int chunk_bytes = 16;
  const FillPass fill = fill_pass(addresses, source_addresses, lanes, reading);
  AccessPass pass;
  pass.is_fill = true;
  pass.lanes = lanes;
  pass.wavefronts = fill.wavefronts;
  for_each_lane(lanes, [&](int lane) {
    for_each_word(addresses[lane], chunk_bytes, [&](std::uint64_t word) {
      pass.words.push_back({word, static_cast<std::uint32_t>(word % bank_count),
                            fill.of_lane[static_cast<std::size_t>(lane)], bit_of(lane)});
    });
  });
  return pass;
}

// Whether the width alone lets one pass serve them.
bool fit_into_one_pass(simt::Access access, LaneMask lanes, int lane_bytes) {
  const int pass_lanes = lanes_for_width(access, lane_bytes);
  const int first = std::countr_zero(lanes), last = simt::lane_count - 1 - std::countl_zero(lanes);
  return first / pass_lanes == last / pass_lanes;
}

}  // namespace

SharedPasses shared_passes(simt::Access access, const std::uint64_t* addresses, LaneMask lanes,
                           int lane_bytes) {
  SharedPasses all;
  all.cost = shared_cost(access, addresses, lanes, lane_bytes);
  for_each_pass(access, addresses, lanes, lane_bytes, [&](LaneMask in_pass) {
    all.passes.push_back(pass_of(addresses, in_pass, lane_bytes, is_serialised(access)));
    // Few lanes may be one pass without any merging.
    all.are_merged = all.are_merged || !fit_into_one_pass(access, in_pass, lane_bytes);
  });
  return all;
}

SharedPasses past_l1_passes(const std::uint64_t* addresses, const std::uint64_t* source_addresses,
                            LaneMask lanes, LaneMask reading) {
  SharedPasses all;
  all.is_past_l1 = true;
  all.cost = past_l1_cost(addresses, source_addresses, lanes, reading);
  const PastL1 past_l1(addresses, source_addresses, reading);
  for (const LineMoves& moves : past_l1.moves()) {
    const std::uint64_t line = moves.line * line_bytes;
    auto pass = std::ranges::find(all.passes, line, &AccessPass::source_line);
    if (pass == all.passes.end()) {
      all.passes.emplace_back().source_line = line;
      pass = all.passes.end() - 1;
    }
    add_moves(*pass, moves, addresses, source_addresses);
  }
  for_each_fill_pass(lanes, reading, [&](LaneMask in_pass) {
    all.passes.push_back(fill_pass_of(addresses, source_addresses, in_pass, reading));
  });
  for (AccessPass& pass : all.passes) {
    if (pass.wavefronts > 1) pass.colliding = pass.lanes;
    sort_words(pass);
  }
  return all;
}

SharedPasses shared_passes(const BlockRecording& recording, const RecordedAccess& access) {
  const RecordedSite& site = recording.sites[access.site];
  const RecordedPattern& pattern = recording.patterns[access.pattern];
  const auto addresses = addresses_of(recording, access);
  const auto width = static_cast<int>(site.width_bytes);
  if (is_past_l1(width, !pattern.source_offsets.empty()))
    return past_l1_passes(addresses.data(), source_addresses_of(recording, access).data(), pattern.lanes,
                          pattern.source_lanes);
  return shared_passes(site.access, addresses.data(), pattern.lanes, width);
}

SectorUse sector_use(const std::uint64_t* addresses, LaneMask lanes, int lane_bytes) {
  SectorUse use;
  use.cost = sector_cost(addresses, lanes, lane_bytes);
  std::map<std::uint64_t, UsedSector> sectors;
  for_each_lane(lanes, [&](int lane) {
    for (int i = 0; i < lane_bytes; ++i) {
      const std::uint64_t byte = addresses[lane] + static_cast<std::uint64_t>(i);
      UsedSector& sector = sectors[byte / sector_bytes];
      sector.address = byte / sector_bytes * sector_bytes;
      sector.lanes |= bit_of(lane);
      sector.bytes |= 1u << byte % sector_bytes;
    }
  });
  for (const auto& [index, sector] : sectors) use.sectors.push_back(sector);
  return use;
}

SectorUse sector_use(const BlockRecording& recording, const RecordedAccess& access) {
  const auto addresses = addresses_of(recording, access);
  return sector_use(addresses.data(), recording.patterns[access.pattern].lanes,
                    static_cast<int>(recording.sites[access.site].width_bytes));
}

}  // namespace tilescope
