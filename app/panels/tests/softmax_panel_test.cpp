// Panel Softmax, on blocks that the real worker steps.

#include <cmath>

#include "app/panels/tests/step_fixture.hpp"
#include "profiler/views/step/softmax_view.hpp"

namespace tilescope {
namespace {

class SoftmaxPanelTest : public SteppedPanels {
 protected:
  bool open(test_support::HeadlessGui& gui) {
    show(gui, "softmax");
    return wait_for_row(gui);
  }
  bool wait_for_row(test_support::HeadlessGui& gui) {
    return wait_until(gui, [&] {
      return !stepping().is_outdated() && stepping().row() && stepping().row()->missing.empty() &&
             gui.has("softmax.row.0");
    });
  }
  const StepRowHistory& row() { return *stepping().row(); }
};

TEST_F(SoftmaxPanelTest, AClickOnATileMovesThePlayHeadBehindIt) {
  choose_mma();
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(open(gui));
  ASSERT_EQ(row().parts.at(0).tiles.size(), 5U);
  EXPECT_FALSE(gui.has("softmax.now")) << "the play head is at the start";
  gui.click("softmax.row.2");
  const std::uint64_t slot = row().parts[0].tiles[2].slot;
  ASSERT_TRUE(wait_until(gui, [&] { return stop().slot == slot; }));
  EXPECT_EQ(gui.rectangle("softmax.now"), gui.rectangle("softmax.row.2"));
  EXPECT_TRUE(gui.has("softmax.strip"));
  EXPECT_TRUE(gui.has("plot.softmax.m"));
  EXPECT_TRUE(gui.has("plot.softmax.l"));
  gui.click("softmax.row.0");
  ASSERT_TRUE(wait_until(gui, [&] { return stop().slot < slot; }));
}

TEST_F(SoftmaxPanelTest, TheRunningValuesAgreeWithFloat64) {
  choose_mma();
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(open(gui));
  for (const RowTile& tile : row().parts.at(0).tiles) {
    EXPECT_LT(tile.error, 2e-3);
    EXPECT_NEAR(tile.l * std::exp(tile.m - tile.exact_m), tile.exact_l, 1e-2 * tile.exact_l);
  }
}

TEST_F(SoftmaxPanelTest, GoesThroughTheRowsOfTheBlockAndToTheWorst) {
  choose_mma();
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(open(gui));
  const std::int64_t worst = row().worst_row;
  EXPECT_EQ(row().row, worst) << "the panel begins with it";
  const bool is_last = worst == row().rows.back();
  gui.click(is_last ? "softmax.previous" : "softmax.next");
  ASSERT_TRUE(wait_until(gui, [&] { return row().row == worst + (is_last ? -1 : 1); }));
  gui.click("softmax.worst");
  ASSERT_TRUE(wait_until(gui, [&] { return row().row == worst; }));
  gui.click("softmax.row");
  gui.type("7");
  gui.key(ImGuiKey_Enter);
  ASSERT_TRUE(wait_until(gui, [&] { return row().row == 7; }));
}

TEST_F(SoftmaxPanelTest, LargeLogitsOverflowTheNaiveForm) {
  choose_mma();
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(open(gui));
  EXPECT_FALSE(std::isinf(row().naive_sum));
  gui.click("softmax.large");
  EXPECT_EQ(stepping().inputs(), StepInputs::large_logits);
  ASSERT_TRUE(wait_until(gui, [&] { return stepping().row() && std::isinf(row().naive_sum); }));
  const SoftmaxView view =
      softmax_view(row(), explorer_->selection().experiment().shape, stop().slots, 0, true);
  EXPECT_TRUE(view.naive.overflows);
  EXPECT_TRUE(gui.has("softmax.naive"));
  gui.click("softmax.random");
  ASSERT_TRUE(wait_until(gui, [&] { return stepping().row() && !std::isinf(row().naive_sum); }));
}

TEST_F(SoftmaxPanelTest, AnAllMaskedRowIsOneClickAwayAndUndone) {
  choose_mma();
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(open(gui));
  const Shape before = explorer_->selection().experiment().shape;
  gui.click("softmax.masked");
  const Shape shape = explorer_->selection().experiment().shape;
  EXPECT_TRUE(shape.causal);
  EXPECT_LT(shape.Sk, shape.Sq);
  ASSERT_TRUE(wait_until(gui, [&] {
    return stepping().row() && !stepping().is_outdated() && row().missing.empty() &&
           row().row < masked_rows(shape);
  }));
  for (const RowPart& part : row().parts) {
    for (const RowTile& tile : part.tiles) EXPECT_EQ(tile.exact_l, 0);
  }
  for (const double value : row().output) EXPECT_EQ(value, 0);
  explorer_->selection().undo();
  EXPECT_EQ(explorer_->selection().experiment().shape, before);
}

TEST_F(SoftmaxPanelTest, ARowDividedAmongWarpsHasAPartForEach) {
  Shape shape = small_shape();
  shape.Sq = shape.Sk = 160;
  choose("mma_flash",
         {{"BLOCK_M", std::int64_t{32}}, {"BLOCK_N", std::int64_t{64}}, {"NUM_WARPS", std::int64_t{4}}},
         shape);
  test_support::HeadlessGui gui(900, 900);
  ASSERT_TRUE(open(gui));
  ASSERT_EQ(row().parts.size(), 2U);
  const std::string second = "softmax.part." + std::to_string(row().parts[1].warp);
  ASSERT_TRUE(gui.has(second));
  gui.click(second);
  EXPECT_TRUE(gui.has("softmax.row.0"));
}

TEST_F(SoftmaxPanelTest, AKernelWithoutProbesSaysSo) {
  Shape shape = small_shape();
  shape.Sq = shape.Sk = 80;
  choose("cutlass_gemm", {}, shape);
  test_support::HeadlessGui gui(900, 700);
  show(gui, "softmax");
  ASSERT_TRUE(wait_for_block(gui));
  ASSERT_FALSE(stop().has_probes);
  gui.frames();
  EXPECT_FALSE(gui.has("softmax.row.0"));
  EXPECT_EQ(panel("softmax").csv(), "");
  EXPECT_GT(gui.vertices(), 100);
}

TEST_F(SoftmaxPanelTest, DrawsInASmallAreaAndTheLightTheme) {
  choose_mma();
  test_support::HeadlessGui gui(380, 340, 1, ThemeKind::light);
  ASSERT_TRUE(open(gui));
  EXPECT_TRUE(gui.errors().empty());
}

}  // namespace
}  // namespace tilescope
