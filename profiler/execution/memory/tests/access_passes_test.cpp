#include "profiler/execution/memory/access_passes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>

namespace tilescope {
namespace {

using simt::Access;
using simt::all_lanes;
using simt::LaneMask;

using Addresses = std::array<std::uint64_t, simt::lane_count>;

/// Accesses of many kinds: strides, rows and columns of tiles, swizzles, few words for all, noise, one address for two
/// neighbours.
class RandomAccess {
 public:
  explicit RandomAccess(unsigned seed) : random_(seed) {}

  Addresses addresses(std::uint64_t alignment, std::uint64_t bytes) {
    Addresses all;
    const std::uint64_t kind = upto(7), stride = upto(40) * alignment, base = upto(64) * alignment;
    const std::uint64_t lanes_per_row = std::uint64_t{1} << upto(6), pitch = (1 + upto(40)) * alignment;
    for (std::uint64_t lane = 0; lane < all.size(); ++lane) {
      const std::uint64_t row = lane / lanes_per_row, column = lane % lanes_per_row;
      const std::array<std::uint64_t, 7> places = {base + lane * stride,
                                                   base + row * pitch + column * alignment,
                                                   base + row * 128 + (column ^ row % 8) * alignment,
                                                   base + upto(4) * stride,
                                                   upto(bytes / alignment) * alignment,
                                                   base + (lane & ~1U) * stride,
                                                   base + (lane & ~2U) * alignment};
      all[lane] = places[kind];
    }
    return all;
  }
  LaneMask lanes() {
    const std::array<LaneMask, 4> masks = {all_lanes, static_cast<LaneMask>(random_()), 0xffffu,
                                           1u << upto(32)};
    return std::max<LaneMask>(masks[upto(4)], 1u);
  }
  std::uint64_t upto(std::uint64_t end) { return random_() % end; }

 private:
  std::mt19937 random_;
};

/// Counts again, by sets, what a pass says.
void expect_sound(const AccessPass& pass, const Addresses& addresses, int lane_bytes, bool each_counts) {
  std::map<std::uint64_t, LaneMask> lanes_of_word;
  for (int lane = 0; lane < simt::lane_count; ++lane) {
    if ((pass.lanes >> lane & 1u) == 0) continue;
    const std::uint64_t address = addresses[static_cast<std::size_t>(lane)];
    for (std::uint64_t byte = address; byte < address + static_cast<std::uint64_t>(lane_bytes); ++byte)
      lanes_of_word[byte / 4] |= LaneMask{1} << lane;
  }
  std::map<std::uint64_t, std::uint32_t> height_of_bank;
  LaneMask sharing = 0;
  for (const auto& [word, lanes] : lanes_of_word) {
    height_of_bank[word % 32] += each_counts ? static_cast<std::uint32_t>(std::popcount(lanes)) : 1;
    if (std::popcount(lanes) > 1 && !each_counts) sharing |= lanes;
  }
  std::uint32_t highest = 0;
  LaneMask colliding = 0;
  for (const auto& [bank, height] : height_of_bank) highest = std::max(highest, height);
  for (const auto& [word, lanes] : lanes_of_word) {
    if (height_of_bank[word % 32] > 1) colliding |= lanes;
  }
  EXPECT_EQ(pass.wavefronts, highest);
  EXPECT_EQ(pass.colliding, colliding);
  EXPECT_EQ(pass.sharing, sharing);

  std::map<std::uint64_t, LaneMask> shown;
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const BankWord& word : pass.words) {
    EXPECT_EQ(word.bank, word.word % 32);
    EXPECT_LT(word.wavefront, pass.wavefronts);
    EXPECT_TRUE(places.insert({word.bank, word.wavefront}).second) << "one word of a bank in a wavefront";
    shown[word.word] |= word.lanes;
  }
  EXPECT_EQ(shown, lanes_of_word);
}

TEST(AccessPasses, SumToTheCostOfRandomAccesses) {
  RandomAccess random(17);
  const std::array<std::pair<Access, int>, 18> kinds = {{{Access::load, 1},
                                                         {Access::load, 2},
                                                         {Access::load, 4},
                                                         {Access::load, 8},
                                                         {Access::load, 16},
                                                         {Access::store, 1},
                                                         {Access::store, 2},
                                                         {Access::store, 4},
                                                         {Access::store, 8},
                                                         {Access::store, 16},
                                                         {Access::matrix_load, 16},
                                                         {Access::matrix_store, 16},
                                                         {Access::async_copy_issue, 4},
                                                         {Access::async_copy_issue, 8},
                                                         {Access::async_copy_issue, 16},
                                                         {Access::atomic, 4},
                                                         {Access::atomic, 8},
                                                         {Access::load, 4}}};
  std::set<std::uint32_t> degrees;
  std::size_t merged = 0;
  for (int round = 0; round < 4000; ++round) {
    const auto [access, width] = kinds[random.upto(kinds.size())];
    const Addresses addresses = random.addresses(static_cast<std::uint64_t>(width), 4096);
    const LaneMask lanes = random.lanes();
    const SharedCost cost = shared_cost(access, addresses.data(), lanes, width);
    const SharedPasses all = shared_passes(access, addresses.data(), lanes, width);
    SCOPED_TRACE("round " + std::to_string(round));
    EXPECT_EQ(all.cost, cost);
    EXPECT_EQ(all.passes.size(), cost.minimum);
    std::uint32_t wavefronts = 0, degree = 0;
    LaneMask served = 0;
    for (const AccessPass& pass : all.passes) {
      wavefronts += pass.wavefronts;
      degree = std::max(degree, pass.wavefronts);
      EXPECT_EQ(served & pass.lanes, 0U) << "a lane is in one pass";
      served |= pass.lanes;
      expect_sound(pass, addresses, width, access == Access::atomic);
    }
    EXPECT_EQ(wavefronts, cost.wavefronts);
    EXPECT_EQ(degree, cost.degree);
    EXPECT_EQ(served, lanes);
    degrees.insert(degree);
    merged += all.are_merged ? 1 : 0;
  }
  EXPECT_GT(degrees.size(), 12U) << "the accesses differ";
  EXPECT_GT(merged, 50U);
}

TEST(AccessPasses, SumToTheCostOfRandomCopiesPastL1) {
  RandomAccess random(3);
  std::set<std::uint32_t> degrees;
  for (int round = 0; round < 2000; ++round) {
    const Addresses to = random.addresses(16, 4096), from = random.addresses(16, 2048);
    const LaneMask lanes = random.lanes();
    // Some lanes copy zeros in every second round.
    const LaneMask reading = round % 2 == 0 ? lanes : lanes & random.lanes();
    if (reading == 0) continue;
    const SharedCost cost = past_l1_cost(to.data(), from.data(), lanes, reading);
    const SharedPasses all = past_l1_passes(to.data(), from.data(), lanes, reading);
    SCOPED_TRACE("round " + std::to_string(round));
    EXPECT_EQ(all.cost, cost);
    std::uint32_t wavefronts = 0, degree = 0;
    LaneMask served = 0, filled = 0;
    for (const AccessPass& pass : all.passes) {
      wavefronts += pass.wavefronts;
      degree = std::max(degree, pass.wavefronts);
      LaneMask& of_kind = pass.is_fill ? filled : served;
      EXPECT_EQ(of_kind & pass.lanes, 0U);
      of_kind |= pass.lanes;
      EXPECT_EQ(pass.words.size(), 4U * static_cast<unsigned>(std::popcount(pass.lanes)));
      std::map<std::uint32_t, std::set<std::uint64_t>> turns;
      std::set<std::pair<std::uint32_t, std::uint32_t>> banks;
      for (const BankWord& word : pass.words) {
        EXPECT_EQ(std::popcount(word.lanes), 1);
        const auto lane = static_cast<std::size_t>(std::countr_zero(word.lanes));
        banks.insert({word.wavefront, word.bank});
        if (!pass.is_fill) {
          EXPECT_EQ(from[lane] / 128 * 128, pass.source_line);
        }
        EXPECT_EQ(to[lane] / 16, word.word / 4);
        turns[word.wavefront].insert(word.word / 32);
      }
      EXPECT_EQ(turns.size(), pass.wavefronts) << "no wavefront is empty";
      for (const auto& [wavefront, reached] : turns) {
        if (!pass.is_fill) {
          EXPECT_EQ(reached.size(), 1U);
        }
      }
      if (pass.is_fill) {
        std::set<std::pair<std::uint32_t, std::uint64_t>> words;
        for (const BankWord& word : pass.words) words.insert({word.wavefront, word.word});
        EXPECT_EQ(words.size(), banks.size()) << "a wavefront moves one word of a bank";
      }
      EXPECT_EQ(pass.colliding, pass.wavefronts > 1 ? pass.lanes : 0);
    }
    EXPECT_EQ(wavefronts, cost.wavefronts);
    EXPECT_EQ(degree, cost.degree);
    EXPECT_EQ(served, reading);
    EXPECT_EQ(filled, reading == lanes ? 0 : lanes);
    degrees.insert(degree);
  }
  EXPECT_GT(degrees.size(), 8U);
}

TEST(AccessPasses, SectorsAreThoseOfTheCost) {
  RandomAccess random(5);
  for (int round = 0; round < 2000; ++round) {
    const int width = 1 << random.upto(6);
    const std::uint64_t alignment = random.upto(8) == 0 ? 1 : static_cast<std::uint64_t>(width);
    const Addresses addresses = random.addresses(alignment, 8192);
    const LaneMask lanes = random.lanes();
    const SectorUse use = sector_use(addresses.data(), lanes, width);
    SCOPED_TRACE("round " + std::to_string(round));
    EXPECT_EQ(use.cost, sector_cost(addresses.data(), lanes, width));
    EXPECT_EQ(use.sectors.size(), use.cost.sectors);
    std::uint32_t bytes = 0;
    LaneMask touching = 0;
    std::uint64_t last = 0;
    for (const UsedSector& sector : use.sectors) {
      EXPECT_EQ(sector.address % 32, 0U);
      EXPECT_TRUE(&sector == &use.sectors.front() || sector.address > last);
      last = sector.address;
      bytes += static_cast<std::uint32_t>(std::popcount(sector.bytes));
      touching |= sector.lanes;
    }
    EXPECT_EQ((bytes + 31) / 32, use.cost.minimum);
    EXPECT_EQ(touching, lanes);
  }
}

TEST(AccessPasses, NameTheLanesThatMeet) {
  // A column of 16-byte chunks in rows of 128 B: the eight lanes of a quarter on the banks 0 to 3.
  Addresses rows;
  for (std::uint64_t lane = 0; lane < 32; ++lane) rows[lane] = lane * 128;
  const SharedPasses column = shared_passes(Access::load, rows.data(), all_lanes, 16);
  ASSERT_EQ(column.passes.size(), 4U);
  EXPECT_EQ(column.passes[1].lanes, 0xff00U);
  EXPECT_EQ(column.passes[1].colliding, 0xff00U);
  EXPECT_EQ(column.passes[1].wavefronts, 8U);
  ASSERT_EQ(column.passes[1].words.size(), 32U);
  EXPECT_EQ(column.passes[1].words[2], (BankWord{8 * 32 + 2 * 32, 0, 2, 1u << 10}));
}

TEST(AccessPasses, TellWhichLanesShareAndWhichCollide) {
  // Two words of bank 0, each for half of the lanes.
  Addresses two;
  for (std::uint64_t lane = 0; lane < 32; ++lane) two[lane] = lane % 2 * 128;
  const SharedPasses both = shared_passes(Access::load, two.data(), all_lanes, 4);
  ASSERT_EQ(both.passes.size(), 1U);
  EXPECT_EQ(both.passes[0].sharing, all_lanes);
  EXPECT_EQ(both.passes[0].colliding, all_lanes);
  EXPECT_EQ(both.passes[0].words[1], (BankWord{32, 0, 1, 0xaaaa'aaaaU}));

  const Addresses same{};
  const SharedPasses one = shared_passes(Access::load, same.data(), 0xffU, 4);
  EXPECT_EQ(one.passes[0].sharing, 0xffU);
  EXPECT_EQ(one.passes[0].colliding, 0U);
  const SharedPasses atomic = shared_passes(Access::atomic, same.data(), 0xffU, 4);
  EXPECT_EQ(atomic.passes[0].sharing, 0U);
  EXPECT_EQ(atomic.passes[0].colliding, 0xffU) << "lanes on one word take turns";
  EXPECT_EQ(atomic.passes[0].wavefronts, 8U);
}

TEST(AccessPasses, AreMergedOnlyWhereThereWouldBeMore) {
  Addresses pairs;
  for (std::uint64_t lane = 0; lane < 32; ++lane) pairs[lane] = lane / 2 * 16;
  const SharedPasses merged = shared_passes(Access::load, pairs.data(), all_lanes, 16);
  EXPECT_TRUE(merged.are_merged);
  EXPECT_EQ(merged.passes.size(), 2U);
  EXPECT_FALSE(shared_passes(Access::store, pairs.data(), all_lanes, 16).are_merged);
  const SharedPasses few = shared_passes(Access::load, pairs.data(), 0xffU, 16);
  EXPECT_FALSE(few.are_merged) << "eight lanes are one pass anyway";
  EXPECT_EQ(few.passes.size(), 1U);
  EXPECT_FALSE(shared_passes(Access::load, pairs.data(), 1U << 5, 16).are_merged);
}

TEST(AccessPasses, AreThoseOfARecordedAccess) {
  BlockRecording recording;
  RecordedSite site;
  site.access = Access::async_copy_issue;
  site.width_bytes = 16;
  recording.sites.push_back(site);
  RecordedPattern pattern;
  pattern.lanes = 0xff;
  for (std::size_t lane = 0; lane < 8; ++lane) pattern.offsets[lane] = static_cast<std::int64_t>(lane * 16);
  recording.patterns.push_back(pattern);
  pattern.source_offsets.resize(32);
  pattern.source_lanes = pattern.lanes;
  for (std::size_t lane = 0; lane < 8; ++lane)
    pattern.source_offsets[lane] = static_cast<std::int64_t>(lane * 128);
  recording.patterns.push_back(pattern);
  RecordedAccess access;
  access.base = 256;
  access.source_base = 1 << 20;
  const SharedPasses through = shared_passes(recording, access);
  EXPECT_FALSE(through.is_past_l1);
  EXPECT_EQ(through.cost, (SharedCost{1, 1, 1}));
  access.pattern = 1;
  const SharedPasses past = shared_passes(recording, access);
  EXPECT_TRUE(past.is_past_l1);
  ASSERT_EQ(past.passes.size(), 8U) << "eight lines are read";
  EXPECT_EQ(past.passes[3].source_line, (1U << 20) + 3 * 128);
  EXPECT_EQ(past.passes[3].lanes, 1U << 3);
}

}  // namespace
}  // namespace tilescope
