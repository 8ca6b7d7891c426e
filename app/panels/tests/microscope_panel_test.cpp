// Panel Microscope: what is drawn against the view model behind it, with the mouse.

#include <set>

#include "app/explorer/code/code_listing.hpp"
#include "app/explorer/memory/kernel_counts.hpp"
#include "app/explorer/memory/layout_search.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/panels/tests/recorded_fixture.hpp"
#include "profiler/views/memory/access_sites.hpp"
#include "profiler/views/memory/microscope.hpp"

namespace tilescope {
namespace {

class MicroscopePanelTest : public RecordedPanels {
 protected:
  bool open(test_support::HeadlessGui& gui) {
    show(gui, "microscope");
    return wait_for(gui, "microscope.verdict");
  }
  MicroscopeView shown() const {
    const auto access = explorer_->board().get<MemoryFocus>().access_in(block());
    return microscope_view(block().recording, TileFinder(block().tiles, block().recording.arrays),
                           block().recording.accesses[*access]);
  }
  /// Every word of the view has a rectangle where its bank and its wavefront say, and nothing else is drawn.
  void expect_drawn(const test_support::HeadlessGui& gui, const MicroscopeView& view,
                    std::size_t pass) const {
    for (const WordCell& cell : view.cells[pass]) {
      const std::string mark = "microscope.word." + std::to_string(pass) + "." +
                               std::to_string(cell.wavefront) + "." + std::to_string(cell.first_bank);
      ASSERT_TRUE(gui.has(mark)) << mark;
      const std::vector<float> word = gui.rectangle(mark);
      const std::vector<float> lane =
          gui.rectangle("microscope.lane." + std::to_string(std::countr_zero(cell.word.lanes)));
      EXPECT_GT(word[1], lane[3]) << "banks lie below the lanes";
      EXPECT_NEAR((word[2] - word[0]) / static_cast<float>(cell.banks), lane[2] - lane[0], 2.5F);
    }
    EXPECT_FALSE(gui.has("microscope.word." + std::to_string(pass) + "." +
                         std::to_string(view.shared.passes[pass].wavefronts) + ".0"));
  }
};

TEST_F(MicroscopePanelTest, WhatIsOfTheConfigurationBeforeIsVeiledUntilTheNewOneIsThere) {
  for (const char* panel : {"microscope", "shared-memory", "access-sites", "source", "swizzle-solver"}) {
    SCOPED_TRACE(panel);
    choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
    test_support::HeadlessGui gui(900, 1100);
    show(gui, panel);
    const auto has_both = [&] {
      return explorer_->board().get<BlockRecorder>().shown() &&
             !explorer_->board().get<BlockRecorder>().waits() &&
             !explorer_->board().get<KernelCounts>().waits() &&
             !explorer_->board().get<CodeListing>().waits() &&
             !explorer_->board().get<LayoutSearch>().searches() && !gui.has("outdated");
    };
    gui.frames(2);
    ASSERT_TRUE(wait_until(gui, has_both));
    choose("flash_scalar", {{"SMEM_LAYOUT", std::string("padded")}, {"BLOCK_N", std::int64_t{32}}});
    gui.frames(1);
    EXPECT_TRUE(gui.has("outdated"));
    ASSERT_TRUE(wait_until(gui, has_both));
  }
}

TEST_F(MicroscopePanelTest, ShowsTheConflictOfTheWorstAccessFirst) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 1100);
  ASSERT_TRUE(open(gui));
  const MicroscopeView view = shown();
  EXPECT_EQ(view.verdict, "8-way bank conflict");
  EXPECT_EQ(view.site.tile, "K");
  ASSERT_EQ(view.shared.passes.size(), 4U);
  for (std::size_t pass = 0; pass < 4; ++pass) {
    EXPECT_TRUE(gui.has("microscope.pass." + std::to_string(pass))) << "there is room for all";
    expect_drawn(gui, view, pass);
  }
  EXPECT_TRUE(gui.has("microscope.legend.collides"));
  EXPECT_FALSE(gui.has("microscope.legend.in another pass"));
  // The stack of pass 1: eight words of bank 0, the first wavefront at the bottom.
  EXPECT_GT(gui.rectangle("microscope.word.0.0.0")[1], gui.rectangle("microscope.word.0.7.0")[1]);

  gui.click("microscope.passes.2");
  EXPECT_FALSE(gui.has("microscope.pass.0"));
  EXPECT_TRUE(gui.has("microscope.pass.2"));
  EXPECT_TRUE(gui.has("microscope.lane.16"));
  EXPECT_FALSE(gui.has("microscope.lane.0")) << "lanes of other passes are faint";
  EXPECT_TRUE(gui.has("microscope.legend.in another pass"));
}

TEST_F(MicroscopePanelTest, ASmallPanelShowsTheWorstPass) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(480, 360);
  ASSERT_TRUE(open(gui));
  EXPECT_TRUE(gui.has("microscope.pass.0"));
  EXPECT_FALSE(gui.has("microscope.pass.1"));
  expect_drawn(gui, shown(), 0);
  for (const char* mark : {"microscope.site", "microscope.execution", "microscope.verdict", "microscope.line",
                           "microscope.reason", "microscope.passes.3"}) {
    ASSERT_TRUE(gui.has(mark)) << mark;
    EXPECT_LE(gui.rectangle(mark)[2], 480) << mark;
  }
}

TEST_F(MicroscopePanelTest, ALowPanelKeepsTheReasonAndLeavesTheInstructionOut) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(480, 250);
  ASSERT_TRUE(open(gui));
  const std::vector<float> reason = gui.rectangle("microscope.reason");
  const std::vector<float> line = gui.rectangle("microscope.verdict");
  EXPECT_GT(reason[3] - reason[1], 2 * (line[3] - line[1])) << "in full";
  EXPECT_FALSE(gui.has("microscope.instruction"));
}

TEST_F(MicroscopePanelTest, ThePassesStayInTheirPlaceFromExecutionToExecution) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}, {"VEC_WIDTH", std::int64_t{1}}});
  test_support::HeadlessGui gui(537, 360);
  ASSERT_TRUE(open(gui));
  MemoryFocus& focus = explorer_->board().get<MemoryFocus>();
  const std::size_t count = block().accesses_of[*focus.site_in(block())].size();
  const std::vector<float> place = gui.rectangle("microscope.passes.1");
  std::set<float> heights;
  for (std::size_t execution = 0; execution < count; ++execution) {
    focus.choose_execution(execution);
    gui.frames(2);
    ASSERT_EQ(gui.rectangle("microscope.passes.1"), place) << execution;
    const std::vector<float> reason = gui.rectangle("microscope.reason");
    heights.insert(reason[3] - reason[1]);
  }
  EXPECT_GT(heights.size(), 1U) << "the reasons need more and fewer lines";
  gui.click("microscope.passes.1");
  EXPECT_EQ(gui.rectangle("microscope.passes.1"), place) << "without the words on the other passes";
}

TEST_F(MicroscopePanelTest, StepsThroughTheExecutions) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 800);
  ASSERT_TRUE(open(gui));
  MemoryFocus& focus = explorer_->board().get<MemoryFocus>();
  const std::size_t count = block().accesses_of[*focus.site_in(block())].size();
  ASSERT_GT(count, 10U);
  gui.click("microscope.next");
  EXPECT_EQ(focus.chosen_execution(), 1U);
  gui.click("microscope.last");
  EXPECT_EQ(focus.chosen_execution(), count - 1);
  gui.click("microscope.previous");
  EXPECT_EQ(focus.chosen_execution(), count - 2);
  gui.click("microscope.worst");
  EXPECT_EQ(focus.chosen_execution(), block().totals[*focus.site_in(block())].worst_execution);
  gui.click("microscope.last");
  gui.click("microscope.first");
  EXPECT_EQ(focus.chosen_execution(), 0U);
  // The picture takes the keys after a click on it.
  gui.click("microscope.lane.3");
  gui.key(ImGuiKey_RightArrow);
  gui.key(ImGuiKey_RightArrow);
  EXPECT_EQ(focus.chosen_execution(), 2U);
  gui.key(ImGuiKey_LeftArrow);
  EXPECT_EQ(focus.chosen_execution(), 1U);
  gui.click("microscope.play");
  gui.frames(60);
  const std::size_t played = *focus.chosen_execution();
  EXPECT_GT(played, 1U);
  gui.click("microscope.play");
  const std::size_t stopped = *focus.chosen_execution();
  gui.frames(60);
  EXPECT_EQ(focus.chosen_execution(), stopped);
}

TEST_F(MicroscopePanelTest, TheMouseLinksLanesAndWordsWithOtherPanels) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 1100);
  ASSERT_TRUE(open(gui));
  MemoryFocus& focus = explorer_->board().get<MemoryFocus>();
  const MicroscopeView view = shown();
  gui.move_to("microscope.lane.9");
  gui.frames(2);
  focus.next_frame();
  EXPECT_EQ(focus.hovered_byte(), view.lanes[9].address);
  gui.move_to("microscope.word.1.2.0");
  gui.frames(2);
  focus.next_frame();
  ASSERT_TRUE(focus.hovered_byte());
  EXPECT_EQ(view.lanes_at(*focus.hovered_byte()), 1U << 10) << "the third lane of pass 2";
}

TEST_F(MicroscopePanelTest, AnotherSiteIsChosenFromTheList) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 800);
  ASSERT_TRUE(open(gui));
  const std::vector<AccessSiteRow> rows = access_site_rows(memory_sites(block()), "");
  gui.click("microscope.site");
  gui.click("microscope.site.2");
  MemoryFocus& focus = explorer_->board().get<MemoryFocus>();
  ASSERT_TRUE(focus.is_chosen());
  EXPECT_TRUE(is_same_site(rows[2], block().recording.sites[*focus.site_in(block())]));
  gui.click("microscope.line");
  EXPECT_EQ(lines_shown_, 1);
  EXPECT_EQ(focus.line(), rows[2].own_line);
  ASSERT_LT(rows.size(), block().recording.sites.size()) << "lines are unrolled";
  explorer_->board().get<MemoryFocus>().choose_site(recorded_site(rows[0]));
  gui.frames();
  const std::vector<std::uint32_t> copies = copies_of(block().recording, *focus.site_in(block()));
  ASSERT_GT(copies.size(), 2U);
  gui.click("microscope.copy");
  gui.click("microscope.copy.2");
  EXPECT_EQ(focus.site_in(block()), copies[2]);
  gui.click("microscope.site");
  gui.click("microscope.site.worst");
  EXPECT_FALSE(focus.is_chosen());
}

TEST_F(MicroscopePanelTest, GlobalMemoryIsDrawnBySectors) {
  choose("strided_loads", {{"FAULT", std::string("on")}});
  test_support::HeadlessGui gui(900, 700);
  ASSERT_TRUE(open(gui));
  const RecordedBlock& recorded = block();
  std::uint32_t strided = 0;
  for (std::uint32_t i = 0; i < recorded.recording.sites.size(); ++i) {
    const bool is_load =
        !recorded.recording.sites[i].is_shared && recorded.recording.sites[i].access == simt::Access::load;
    if (is_load && recorded.totals[i].excess() > recorded.totals[strided].excess()) strided = i;
  }
  ASSERT_FALSE(recorded.recording.sites[strided].is_shared);
  explorer_->board().get<MemoryFocus>().choose_site(recorded.recording.sites[strided]);
  gui.frames();
  const MicroscopeView view = shown();
  ASSERT_EQ(view.verdict, "Uncoalesced");
  for (std::size_t i = 0; i < view.global.sectors.size(); ++i)
    EXPECT_TRUE(gui.has("microscope.sector." + std::to_string(i))) << i;
  EXPECT_FALSE(gui.has("microscope.sector." + std::to_string(view.global.sectors.size())));
  EXPECT_FALSE(gui.has("microscope.passes.all"));
}

TEST_F(MicroscopePanelTest, SaysWhatIsMissing) {
  choose("cudnn_sdpa", {});
  test_support::HeadlessGui gui(480, 360);
  show(gui, "microscope");
  EXPECT_FALSE(gui.has("microscope.site"));
  EXPECT_GT(gui.vertices(), 100) << "the reason";

  choose("flash_scalar", {});
  ASSERT_TRUE(wait_for(gui, "microscope.verdict"));
  explorer_->board().get<MemoryFocus>().choose_line(1);
  gui.frames();
  EXPECT_FALSE(gui.has("microscope.verdict")) << "line 1 is a comment";
  gui.click("empty_state.button");
  gui.frames();
  EXPECT_TRUE(gui.has("microscope.verdict"));
}

TEST_F(MicroscopePanelTest, AnAccessThatTheBlockDoesNotMakeIsNotReplaced) {
  choose("flash_scalar", {});
  test_support::HeadlessGui gui(480, 360);
  ASSERT_TRUE(open(gui));
  RecordedSite elsewhere = block().recording.sites[0];
  elsewhere.line = 1;
  elsewhere.operation = "st.global";
  explorer_->board().get<MemoryFocus>().choose_site(elsewhere);
  gui.frames();
  EXPECT_FALSE(gui.has("microscope.verdict")) << "of another access";
  EXPECT_FALSE(gui.has("microscope.site"));
  gui.click("empty_state.button");
  gui.frames();
  EXPECT_TRUE(gui.has("microscope.verdict"));
  EXPECT_FALSE(explorer_->board().get<MemoryFocus>().is_chosen());
}

TEST_F(MicroscopePanelTest, AnotherBlockIsChosen) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 800);
  ASSERT_TRUE(open(gui));
  EXPECT_EQ(block().block, 0U);
  gui.click("block.next");
  ASSERT_TRUE(wait_until(
      gui, [&] { return !explorer_->board().get<BlockRecorder>().waits() && block().block == 1; }));
  EXPECT_TRUE(gui.has("microscope.verdict"));
}

TEST_F(MicroscopePanelTest, FollowsTheSliders) {
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("row_major")}});
  test_support::HeadlessGui gui(900, 800);
  ASSERT_TRUE(open(gui));
  explorer_->board().get<MemoryFocus>().choose_site(shown().site);
  choose("flash_scalar", {{"SMEM_LAYOUT", std::string("xor_swizzle")}});
  gui.frames(1);
  EXPECT_TRUE(explorer_->board().get<BlockRecorder>().is_outdated());
  EXPECT_TRUE(gui.has("microscope.verdict")) << "the former trace stays meanwhile";
  ASSERT_TRUE(wait_until(gui, [&] { return !explorer_->board().get<BlockRecorder>().waits(); }));
  EXPECT_EQ(shown().site.tile, "K");
  EXPECT_EQ(shown().verdict, "No bank conflict");
  EXPECT_FALSE(gui.has("microscope.legend.collides"));
}

}  // namespace
}  // namespace tilescope
