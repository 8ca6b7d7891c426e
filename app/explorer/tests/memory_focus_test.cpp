#include "app/explorer/memory/memory_focus.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

struct MadeSite {
  std::uint32_t line = 0;
  const char* operation = "ld.shared";
  const char* tile = "K";
  std::uint16_t wavefronts = 1;
  std::size_t executions = 3;
  bool is_shared = true;
};

RecordedBlock recorded_block(const std::vector<MadeSite>& sites) {
  RecordedBlock recorded;
  recorded.recording.patterns.push_back({});
  recorded.recording.patterns.front().lanes = 0xF;
  for (std::uint32_t i = 0; i < sites.size(); ++i) {
    RecordedSite site;
    site.line = sites[i].line;
    site.ptx_line = 100 + i;
    site.operation = sites[i].operation;
    site.tile = sites[i].tile;
    site.is_shared = sites[i].is_shared;
    recorded.recording.sites.push_back(site);
    for (std::size_t e = 0; e < sites[i].executions; ++e) {
      RecordedAccess access;
      access.site = i;
      access.wavefronts = sites[i].wavefronts;
      access.minimum = 1;
      access.degree = sites[i].wavefronts;
      recorded.recording.accesses.push_back(access);
    }
  }
  sum_up(recorded);
  return recorded;
}

const std::vector<MadeSite> three = {
    {10, "st.shared", "K", 2}, {20, "ld.shared", "K", 8}, {20, "ld.shared", "V", 4}};

TEST(RecordedBlock, SumsUpItsSites) {
  const RecordedBlock recorded = recorded_block(three);
  ASSERT_EQ(recorded.totals.size(), 3U);
  EXPECT_EQ(recorded.totals[1].executions, 3U);
  EXPECT_EQ(recorded.totals[1].lanes, 12U);
  EXPECT_EQ(recorded.totals[1].wavefronts, 24U);
  EXPECT_EQ(recorded.totals[1].excess(), 21U);
  EXPECT_EQ(recorded.totals[1].worst_degree, 8U);
  EXPECT_EQ(recorded.totals[1].worst_execution, 0U) << "the first of equals";
  EXPECT_EQ(recorded.accesses_of[2], (std::vector<std::uint32_t>{6, 7, 8}));
  RecordedBlock uneven = recorded;
  uneven.recording.accesses[4].wavefronts = 9;
  sum_up(uneven);
  EXPECT_EQ(uneven.totals[1].worst_execution, 1U);
}

TEST(RecordedBlock, TheWorstSiteHasTheMostExcessInSharedMemory) {
  EXPECT_EQ(recorded_block(three).worst_site(), 1U);
  EXPECT_EQ(recorded_block(three).worst_site_of_line(10), 0U);
  EXPECT_FALSE(recorded_block(three).worst_site_of_line(11));
  EXPECT_FALSE(recorded_block({}).worst_site());
  // Without a conflict the busiest site of shared memory; global memory only where that is all there is.
  const std::vector<MadeSite> clean = {
      {1, "ld.global", "Q", 9, 3, false}, {2, "ld.shared", "K", 1, 2}, {3, "ld.shared", "V", 1, 5}};
  EXPECT_EQ(recorded_block(clean).worst_site(), 0U) << "uncoalesced sectors are in excess";
  const std::vector<MadeSite> coalesced = {
      {1, "ld.global", "Q", 1, 9, false}, {2, "ld.shared", "K", 1, 2}, {3, "ld.shared", "V", 1, 5}};
  EXPECT_EQ(recorded_block(coalesced).worst_site(), 2U);
  // The instructions of one access count together, as in the table of access sites.
  const std::vector<MadeSite> unrolled = {
      {1, "cp.async", "K", 1, 4}, {2, "ldmatrix", "K", 1, 3}, {2, "ldmatrix", "K", 1, 3}};
  EXPECT_EQ(recorded_block(unrolled).worst_site(), 1U);
}

TEST(MemoryFocus, LooksAtTheWorstSiteUnlessOneIsChosen) {
  const RecordedBlock recorded = recorded_block(three);
  MemoryFocus focus;
  EXPECT_EQ(focus.site_in(recorded), 1U);
  EXPECT_FALSE(focus.is_chosen());
  focus.choose_site(recorded.recording.sites[2]);
  EXPECT_EQ(focus.site_in(recorded), 2U);
  EXPECT_EQ(focus.line(), 20U);
  focus.choose_line(10);
  EXPECT_EQ(focus.site_in(recorded), 0U);
  focus.choose_line(11);
  EXPECT_FALSE(focus.site_in(recorded)) << "the line accesses no memory";
  focus.choose_line(0);
  EXPECT_EQ(focus.site_in(recorded), 1U);
}

// Another configuration gives the same site another place in the PTX and another number.
TEST(MemoryFocus, ASiteIsFoundAgainInANewTrace) {
  MemoryFocus focus;
  focus.choose_site(recorded_block(three).recording.sites[2]);
  const RecordedBlock next =
      recorded_block({{20, "ld.shared", "V", 1}, {20, "ld.shared", "V", 6}, {20, "ld.shared", "K", 8}});
  EXPECT_EQ(focus.site_in(next), 1U) << "the worse of the two that it became";
  const RecordedBlock without = recorded_block({{10, "ld.shared", "K", 8}, {20, "st.shared", "O", 2}});
  EXPECT_EQ(focus.site_in(without), 1U) << "its line";
  const RecordedBlock other = recorded_block({{10, "ld.shared", "K", 8}});
  EXPECT_FALSE(focus.site_in(other)) << "another one would look like the one that was chosen";
  EXPECT_EQ(focus.chosen_site()->tile, "V");
  focus.choose_line(0);
  EXPECT_EQ(focus.site_in(other), 0U) << "the worst one";
}

// The rest of the block may execute it: no other access of its line stands for it.
TEST(MemoryFocus, ASiteThatWasCutOffIsNotReplaced) {
  MemoryFocus focus;
  focus.choose_site(recorded_block(three).recording.sites[2]);
  RecordedBlock cut = recorded_block({{10, "st.shared", "K", 2}, {20, "ld.shared", "K", 8}});
  EXPECT_EQ(focus.site_in(cut), 1U) << "its line, of a whole block";
  cut.recording.truncated = true;
  EXPECT_FALSE(focus.site_in(cut));
  EXPECT_FALSE(focus.access_in(cut));
  cut.recording.truncated = false;
  cut.recording.findings.emplace_back();
  EXPECT_FALSE(focus.site_in(cut)) << "a fault ended it";
}

TEST(MemoryFocus, AnExecutionStaysWithinItsSite) {
  const RecordedBlock recorded = recorded_block(three);
  MemoryFocus focus;
  EXPECT_EQ(focus.access_in(recorded), 3U);
  focus.choose_execution(2);
  EXPECT_EQ(focus.access_in(recorded), 5U);
  focus.choose_execution(99);
  EXPECT_EQ(focus.access_in(recorded), 5U);
  const std::uint64_t before = focus.revision();
  focus.choose_execution(99);
  EXPECT_EQ(focus.revision(), before);
  focus.choose_line(10);
  EXPECT_FALSE(focus.chosen_execution());
}

TEST(MemoryFocus, TheWorstExecutionIsLookedAtFirst) {
  RecordedBlock recorded = recorded_block(three);
  recorded.recording.accesses[4].wavefronts = 9;
  recorded.recording.accesses[5].wavefronts = 9;
  sum_up(recorded);
  EXPECT_EQ(recorded.totals[1].worst_execution, 1U) << "the first of two";
  MemoryFocus focus;
  EXPECT_EQ(focus.access_in(recorded), 4U);
  focus.choose_execution(0);
  EXPECT_EQ(focus.access_in(recorded), 3U) << "as chosen";
}

// A function that is inlined into one line may access a tile in several places.
TEST(MemoryFocus, AnAccessOfAnInlinedFunctionIsFoundByItsPlace) {
  RecordedBlock recorded = recorded_block({{20, "ldmatrix", "K", 2}, {20, "ldmatrix", "K", 8}});
  recorded.recording.sites[0].inlined = {"ldmatrix.cuh:12 load", "loop.cuh:128 load_query"};
  recorded.recording.sites[1].inlined = {"ldmatrix.cuh:12 load", "loop.cuh:225 scores"};
  sum_up(recorded);
  EXPECT_EQ(recorded.worst_site(), 1U);
  RecordedSite query = recorded.recording.sites[0];
  query.ptx_line = 7;  // as in another configuration
  MemoryFocus focus;
  focus.choose_site(query);
  EXPECT_EQ(focus.site_in(recorded), 0U);
  focus.choose_line(20);
  EXPECT_EQ(focus.site_in(recorded), 1U) << "the worst of the line";
  focus.choose_line(20, "loop.cuh:128");
  EXPECT_EQ(focus.site_in(recorded), 0U);
  focus.choose_line(20, "loop.cuh:7");
  EXPECT_EQ(focus.site_in(recorded), 1U) << "another source has the place elsewhere";
}

TEST(MemoryFocus, TheHoveredByteIsSeenForOneFrame) {
  MemoryFocus focus;
  focus.hover(132);
  EXPECT_FALSE(focus.hovered_byte());
  focus.next_frame();
  EXPECT_EQ(focus.hovered_byte(), 132U);
  focus.next_frame();
  EXPECT_FALSE(focus.hovered_byte());
}

}  // namespace
}  // namespace tilescope
