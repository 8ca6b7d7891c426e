#include "profiler/views/memory/bank_traffic.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tilescope {
namespace {

RecordedSite site_of(simt::Access access, std::uint32_t width_bytes, bool is_shared = true) {
  RecordedSite site;
  site.is_shared = is_shared;
  site.access = access;
  site.line = 12;
  site.operation = access == simt::Access::store ? "st.shared" : "ld.shared";
  site.width_bytes = width_bytes;
  site.tile = "K";
  return site;
}

// Lanes 0 to count - 1, `stride` bytes apart.
RecordedPattern strided(int count, std::int64_t stride) {
  RecordedPattern pattern;
  for (int lane = 0; lane < count; ++lane) {
    pattern.lanes |= 1u << lane;
    pattern.offsets[static_cast<std::size_t>(lane)] = lane * stride;
  }
  return pattern;
}

RecordedAccess access_of(std::uint32_t site, std::uint32_t pattern, std::uint64_t base) {
  RecordedAccess access;
  access.site = site;
  access.pattern = pattern;
  access.base = base;
  return access;
}

TEST(WordCounts, CountsLanesByWord) {
  BlockRecording recording;
  recording.sites = {site_of(simt::Access::load, 4), site_of(simt::Access::store, 8),
                     site_of(simt::Access::load, 4, false), site_of(simt::Access::atomic, 4)};
  recording.patterns = {strided(4, 4), strided(2, 0), strided(1, 0)};
  recording.accesses = {access_of(0, 0, 8),  access_of(0, 0, 8), access_of(0, 1, 8),
                        access_of(1, 2, 16), access_of(2, 0, 8), access_of(3, 2, 0)};
  const WordCounts counts = count_words(recording, 6);
  EXPECT_EQ(counts.reads, (std::vector<std::uint32_t>{1, 0, 4, 2, 2, 2})) << "two lanes of a broadcast count";
  EXPECT_EQ(counts.writes, (std::vector<std::uint32_t>{1, 0, 0, 0, 1, 1}));
  EXPECT_EQ(counts.most_reads, 4U);
  EXPECT_EQ(counts.most_writes, 1U);
}

TEST(WordCounts, LeaveOutWhatLiesBehindTheMemory) {
  BlockRecording recording;
  recording.sites = {site_of(simt::Access::load, 16)};
  recording.patterns = {strided(2, 16)};
  recording.accesses = {access_of(0, 0, 0)};
  EXPECT_EQ(count_words(recording, 5).reads, (std::vector<std::uint32_t>{1, 1, 1, 1, 1}));
  EXPECT_TRUE(count_words(recording, 0).reads.empty());
}

TEST(HeatLevels, AreLogarithmic) {
  EXPECT_EQ(heat_level(0, 1000), 0);
  EXPECT_EQ(heat_level(1, 1000), 1);
  EXPECT_EQ(heat_level(1000, 1000), heat_levels);
  EXPECT_EQ(heat_level(1, 1), heat_levels);
  EXPECT_GT(heat_level(32, 1000), heat_level(8, 1000));
}

TEST(HeatBoxes, ShowTheHottestWordOfALine) {
  const BankGrid grid(0, 4 * 128, {{"K", 0, 256}}, {});
  std::vector<std::uint32_t> counts(128, 0);
  counts[0] = 100;
  counts[32] = 1;
  const auto by_row = heat_boxes(grid, counts, 100, 0, 4, 1);
  EXPECT_EQ(by_row, (std::vector<BankGridBox>{{0, 1, 0, 1, heat_levels},
                                              {0, 1, 1, 31, 0},
                                              {1, 1, 0, 1, 1},
                                              {1, 1, 1, 31, 0},
                                              {2, 2, 0, 32, BankGrid::unused}}));
  EXPECT_EQ(heat_boxes(grid, counts, 100, 0, 4, 2),
            (std::vector<BankGridBox>{
                {0, 2, 0, 1, heat_levels}, {0, 2, 1, 31, 0}, {2, 2, 0, 32, BankGrid::unused}}));
}

TEST(TouchedWords, NameTheLanesThatMeetInABank) {
  BlockRecording recording;
  recording.sites = {site_of(simt::Access::load, 4), site_of(simt::Access::load, 4, false)};
  recording.patterns = {strided(8, 128), strided(32, 4), strided(32, 0)};
  const auto conflict = touched_words(recording, access_of(0, 0, 20));
  ASSERT_EQ(conflict.size(), 8U);
  for (std::size_t lane = 0; lane < 8; ++lane) {
    EXPECT_EQ(conflict[lane].word, 5 + 32 * static_cast<std::int64_t>(lane));
    EXPECT_EQ(conflict[lane].lanes, 1u << lane);
    EXPECT_EQ(conflict[lane].degree, 8U);
    EXPECT_TRUE(conflict[lane].collides());
  }
  std::set<std::uint32_t> turns;
  for (const TouchedWord& word : conflict) turns.insert(word.turn);
  EXPECT_EQ(turns.size(), 8U);

  for (const TouchedWord& word : touched_words(recording, access_of(0, 1, 0))) EXPECT_FALSE(word.collides());
  EXPECT_EQ(touched_words(recording, access_of(0, 2, 8)), (std::vector<TouchedWord>{{2, 0xffffffff, 1, 1}}));
  EXPECT_TRUE(touched_words(recording, access_of(1, 1, 0)).empty()) << "of global memory";
}

TEST(TouchedWords, OfWideLanesAreServedInPasses) {
  BlockRecording recording;
  recording.sites = {site_of(simt::Access::load, 16)};
  recording.patterns = {strided(32, 128)};
  const auto words = touched_words(recording, access_of(0, 0, 0));
  ASSERT_EQ(words.size(), 32U * 4);
  for (const TouchedWord& word : words) EXPECT_EQ(word.degree, 8U) << "8 lanes to a pass";
}

TEST(TrafficDetails, HaveLanesAndCounts) {
  const std::vector<TouchedWord> touched = {{3, 0x6, 8, 2}, {4, 0x1, 1, 1}};
  WordCounts counts{{0, 0, 0, 1234, 5}, {0, 0, 0, 2, 0}, 1234, 2};
  EXPECT_EQ(traffic_details(3, touched, &counts),
            (std::vector<TextPair>{
                {"Lanes", "1,2"}, {"Wavefront", "2 of 8"}, {"Reads", "1,234"}, {"Writes", "2"}}));
  EXPECT_EQ(traffic_details(4, touched, nullptr), (std::vector<TextPair>{{"Lanes", "0"}}));
  EXPECT_TRUE(traffic_details(9, touched, &counts).empty());
}

TEST(TouchedWords, HaveShortTexts) {
  EXPECT_EQ(short_lanes(0xf), "0-3");
  EXPECT_EQ(short_lanes(0x80000103), "0,1,8,31");
  EXPECT_EQ(short_lanes(0), "");
  BlockRecording recording;
  recording.sites = {site_of(simt::Access::load, 16), site_of(simt::Access::load, 4, false)};
  RecordedAccess access = access_of(0, 0, 0);
  access.wavefronts = 32;
  access.minimum = 4;
  access.warp = 3;
  EXPECT_EQ(marked_words(recording, access),
            "Marked: ld.shared of K, line 12, warp 3: 32 wavefronts, minimum 4");
  access.site = 1;
  EXPECT_EQ(marked_words(recording, access), "");
}

}  // namespace
}  // namespace tilescope
