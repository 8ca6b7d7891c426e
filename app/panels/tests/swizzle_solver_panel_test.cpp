// Panel Swizzle solver with the real worker, which traces: what is drawn is what the solver found.

#include <algorithm>

#include "app/explorer/memory/layout_search.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/panels/tests/recorded_fixture.hpp"
#include "profiler/views/memory/layout_table.hpp"

namespace tilescope {
namespace {

class SwizzleSolverPanelTest : public RecordedPanels {
 protected:
  bool wait_for_layouts(test_support::HeadlessGui& gui) {
    show(gui, "swizzle-solver");
    return wait_until(gui, [&] { return gui.has("solver.row.0") && !search().searches(); });
  }
  LayoutSearch& search() { return explorer_->board().get<LayoutSearch>(); }
  const SolvedTile& solved() { return *search().found()->solved; }
};

const Configuration row_major{{"SMEM_LAYOUT", std::string("row_major")}};

TEST_F(SwizzleSolverPanelTest, ShowsTheRankedLayoutsAndTheBestInFull) {
  choose("flash_scalar", row_major);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(wait_for_layouts(gui));
  EXPECT_TRUE(gui.has("solver.selected"));
  EXPECT_TRUE(gui.has("solver.apply")) << "the kernel has the best one";
  const LayoutDetail detail = layout_detail(solved(), search().found()->block->recording, 0);
  ASSERT_EQ(detail.sites.size(), 2U) << "K is stored and read";
  EXPECT_TRUE(gui.has("solver.site.0"));
  EXPECT_TRUE(gui.has("solver.site.1"));
  const std::string csv = panel("swizzle-solver").csv();
  EXPECT_EQ(csv, layout_csv(solved()));
  EXPECT_NE(csv.find("SMEM_LAYOUT=xor_swizzle"), std::string::npos);
}

TEST_F(SwizzleSolverPanelTest, ApplySetsTheParameterAndTheTraceKeepsThePromise) {
  choose("flash_scalar", row_major);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(wait_for_layouts(gui));
  gui.click("solver.apply");
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("xor_swizzle")));
  ASSERT_TRUE(wait_until(gui, [&] { return search().applied() && search().applied()->recorded; }));
  EXPECT_TRUE(gui.has("solver.applied"));
  EXPECT_EQ(*search().applied()->recorded, search().applied()->promised);
  ASSERT_TRUE(wait_until(gui, [&] { return gui.has("solver.current") && !search().searches(); }));
  EXPECT_TRUE(gui.has("solver.why_not")) << "the first row is the present layout now";
  gui.click("solver.undo");
  EXPECT_EQ(value_of("SMEM_LAYOUT"), ParameterValue(std::string("row_major")));
}

TEST_F(SwizzleSolverPanelTest, AClickedRowIsShownAndItsExpressionCopied) {
  choose("flash_scalar", row_major);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(wait_for_layouts(gui));
  ASSERT_TRUE(solved().layouts[2].offered.empty());
  gui.click("solver.row.2");
  EXPECT_TRUE(gui.has("solver.why_not")) << "no parameter has it";
  EXPECT_FALSE(gui.has("solver.apply"));
  gui.click("solver.copy");
  EXPECT_EQ(ImGui::GetClipboardText(), solved().layouts[2].index);
}

TEST_F(SwizzleSolverPanelTest, TheTileIsPickedAndASiteIsShownInTheOtherPanels) {
  choose("flash_scalar", row_major);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(wait_for_layouts(gui));
  EXPECT_EQ(solved().tile.name, "K");
  gui.click("solver.tile");
  gui.click("solver.tile.O");
  ASSERT_TRUE(wait_until(gui, [&] { return solved().tile.name == "O"; }));
  gui.click("solver.site.0");
  const auto site = explorer_->board().get<MemoryFocus>().site_in(*search().found()->block);
  ASSERT_TRUE(site);
  EXPECT_EQ(search().found()->block->recording.sites[*site].tile, "O");
}

TEST_F(SwizzleSolverPanelTest, AnotherLayoutIsShownFromItsHeading) {
  choose("flash_scalar", row_major);
  test_support::HeadlessGui gui(450, 500);
  ASSERT_TRUE(wait_for_layouts(gui));
  ASSERT_TRUE(gui.has("solver.selected"));
  const float heading = gui.rectangle("solver.selected")[1];
  gui.wheel("solver.reason", 0, -20);
  ASSERT_TRUE(!gui.has("solver.selected") || gui.rectangle("solver.selected")[1] < heading);
  gui.click("solver.row.2");
  gui.frames();
  ASSERT_TRUE(gui.has("solver.selected"));
  EXPECT_EQ(gui.rectangle("solver.selected")[1], heading);
}

TEST_F(SwizzleSolverPanelTest, AnotherKernelStartsWithItsBestLayout) {
  choose("flash_scalar", row_major);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(wait_for_layouts(gui));
  gui.click("solver.row.1");
  EXPECT_TRUE(gui.has("solver.apply"));
  choose("mma_flash", {{"SMEM_LAYOUT", std::string("xor_swizzle")}});
  ASSERT_TRUE(wait_until(gui, [&] {
    return search().found()->block->experiment.kernel == "mma_flash" && !search().searches();
  }));
  ASSERT_EQ(solved().current, 0U);
  EXPECT_TRUE(gui.has("solver.why_not")) << "the present layout is the best, and selected";
  EXPECT_FALSE(gui.has("solver.apply"));
}

TEST_F(SwizzleSolverPanelTest, ThePresentLayoutIsOneClickAway) {
  choose("flash_scalar", row_major);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(wait_for_layouts(gui));
  EXPECT_FALSE(gui.has("solver.current")) << "it is far down the list";
  gui.click("solver.present");
  gui.frames();
  EXPECT_TRUE(gui.has("solver.current"));
  EXPECT_TRUE(gui.has("solver.why_not"));
}

TEST_F(SwizzleSolverPanelTest, ATileWithoutDeclaredRowsTakesAPitch) {
  choose("cutlass_gemm", {});
  Experiment experiment = explorer_->selection().experiment();
  experiment.shape.Sq = experiment.shape.Sk = 80;
  explorer_->selection().set_experiment(experiment);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(wait_for_layouts(gui));
  ASSERT_TRUE(gui.has("solver.pitch"));
  EXPECT_EQ(solved().shape.rows, 1);
  gui.click("solver.pitch");
  gui.type("128");
  gui.key(ImGuiKey_Enter);
  ASSERT_TRUE(wait_until(gui, [&] { return solved().shape.rows > 1 && !search().searches(); }));
  EXPECT_EQ(solved().shape.row_bytes(), 128);
  // A pitch that elements do not fill is refused with a sentence, and the field stays.
  search().choose_pitch(13);
  ASSERT_TRUE(wait_until(gui, [&] { return !search().searches() && !search().found()->solved; }));
  EXPECT_NE(search().found()->why_not.find("13 B"), std::string::npos);
  EXPECT_TRUE(gui.has("solver.pitch"));
}

TEST_F(SwizzleSolverPanelTest, ANarrowPanelLeavesColumnsOutAndCutsNone) {
  choose("flash_scalar", row_major);
  const std::vector<std::string> headers = {"#",           "Layout",        "Kernel has it",
                                            "Wavefronts",  "Shared memory", "Excess",
                                            "Against now", "Padding",       "Why"};
  std::size_t before = 0;
  for (const float width : {474.0F, 700.0F, 1280.0F}) {
    test_support::HeadlessGui gui(width, 620);
    ASSERT_TRUE(wait_for_layouts(gui));
    const auto shown = static_cast<std::size_t>(std::ranges::count_if(
        headers, [&](const std::string& header) { return gui.has("solver.header." + header); }));
    EXPECT_GT(shown, before) << width;
    before = shown;
    ASSERT_GE(shown, 4U);
    for (std::size_t i = 0; i < shown; ++i)
      EXPECT_TRUE(gui.has("solver.header." + headers[i])) << width << ": the last are left out first";
    const std::vector<float> last = gui.rectangle("solver.header." + headers[shown - 1]);
    EXPECT_LE(last[2], width);
  }
  EXPECT_EQ(before, headers.size());
}

TEST_F(SwizzleSolverPanelTest, SaysWhatIsMissing) {
  choose("cudnn_sdpa", {});
  test_support::HeadlessGui gui(600, 500);
  show(gui, "swizzle-solver");
  EXPECT_FALSE(gui.has("solver.tile"));
  EXPECT_EQ(panel("swizzle-solver").csv(), "");
  EXPECT_GT(gui.vertices(), 100) << "a text says why";
}

}  // namespace
}  // namespace tilescope
