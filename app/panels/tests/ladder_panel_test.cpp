#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <thread>

#include "app/gui/panel_options.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/widgets/tests/headless_gui.hpp"

namespace tilescope {
namespace {

class LadderPanelTest : public Panels {
 protected:
  void open_example(const std::string& name) {
    ASSERT_TRUE(explorer_->points().open_recorded(explorer_->installation().examples / (name + ".json")));
  }
};

TEST_F(LadderPanelTest, WithoutPointsItOffersARecordedLadder) {
  test_support::HeadlessGui gui(700, 500);
  show(gui, "ladder");
  ASSERT_TRUE(gui.has("ladder.open_example"));
  gui.click("ladder.open_example");
  for (int i = 0; i < 500 && explorer_->points().recorded().empty(); ++i) {
    explorer_->update();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  gui.frames();
  EXPECT_TRUE(gui.has("ladder.bar.mma_flash.0"));
}

TEST_F(LadderPanelTest, HasABarForEachRungAndALineForEachBaseline) {
  open_example("ladder_h200");
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    test_support::HeadlessGui gui(900, 700, 1, theme);
    show(gui, "ladder");
    for (const char* kernel : {"naive", "tiled", "flash_scalar", "wmma_scores", "wmma_full", "mma_flash"})
      EXPECT_TRUE(gui.has(std::string("ladder.bar.") + kernel + ".0")) << kernel;
    for (const char* kernel : {"cublas_unfused", "cudnn_sdpa", "cutlass_gemm"}) {
      EXPECT_TRUE(gui.has(std::string("ladder.baseline.") + kernel + ".0")) << kernel;
      EXPECT_FALSE(gui.has(std::string("ladder.bar.") + kernel + ".0")) << kernel;
    }
    EXPECT_LT(gui.rectangle("ladder.bar.naive.0")[1], gui.rectangle("ladder.bar.mma_flash.0")[1]);
  }
}

TEST_F(LadderPanelTest, AClickShowsThePointAndLeavesTheSliders) {
  open_example("ladder_h200");
  test_support::HeadlessGui gui(900, 700);
  show(gui, "ladder");
  const Experiment before = explorer_->selection().experiment();
  gui.click("ladder.bar.mma_flash.0");
  ASSERT_TRUE(explorer_->shown().point());
  EXPECT_EQ(explorer_->shown().point()->kernel, "mma_flash");
  EXPECT_TRUE(explorer_->points().is_recorded(explorer_->shown().point()));
  EXPECT_EQ(explorer_->selection().experiment(), before);
  gui.click("ladder.baseline.cudnn_sdpa.0");
  EXPECT_EQ(explorer_->shown().point()->kernel, "cudnn_sdpa");
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(LadderPanelTest, HoverShowsTheConfiguration) {
  open_example("ladder_h200");
  test_support::HeadlessGui gui(900, 700);
  show(gui, "ladder");
  const int before = gui.vertices();
  gui.move_to("ladder.bar.flash_scalar.0");
  EXPECT_GT(gui.vertices(), before + 400);
}

TEST_F(LadderPanelTest, ALineForEachShapeIsReadWithoutScrollingAndLeadsToIt) {
  open_example("ladder_h200");
  test_support::HeadlessGui gui(440, 330);
  show(gui, "ladder");
  for (const char* line : {"ladder.line.0", "ladder.line.5"}) ASSERT_TRUE(gui.has(line));
  EXPECT_FALSE(gui.has("ladder.line.6")) << "one for each shape";
  EXPECT_FALSE(gui.has("ladder.bar.naive.3"));
  gui.click("ladder.line.3");
  gui.frames();
  EXPECT_TRUE(gui.has("ladder.bar.naive.3"));
  EXPECT_FALSE(gui.has("ladder.line.5")) << "the lines scroll away";
}

TEST_F(LadderPanelTest, OneShapeCanBeChosen) {
  open_example("ladder_h200");
  test_support::HeadlessGui gui(900, 1200);
  show(gui, "ladder");
  ASSERT_TRUE(gui.has("ladder.bar.naive.0"));
  ASSERT_TRUE(gui.has("ladder.bar.naive.1"));
  gui.click("ladder.shape");
  gui.click("ladder.shape.1");
  EXPECT_FALSE(gui.has("ladder.bar.naive.0"));
  EXPECT_TRUE(gui.has("ladder.bar.naive.1"));
  EXPECT_FALSE(gui.has("ladder.bar.naive.2"));
  EXPECT_FALSE(gui.has("ladder.line.1")) << "one shape needs no summary";
}

TEST_F(LadderPanelTest, QuantityAndScaleStayAcrossARestart) {
  open_example("ladder_h200");
  std::string saved;
  {
    test_support::HeadlessGui gui(900, 700);
    const KeepPanelOptions keep(panels_);
    show(gui, "ladder");
    gui.click("ladder.latency");
    gui.click("ladder.log");
    saved = ImGui::SaveIniSettingsToMemory();
  }
  panels_ = make_registered_panels();
  test_support::HeadlessGui gui(900, 700);
  const KeepPanelOptions keep(panels_);
  ImGui::LoadIniSettingsFromMemory(saved.c_str(), saved.size());
  EXPECT_EQ(panel("ladder").options(), (std::vector<std::string>{"show latency", "scale log"}));
}

TEST_F(LadderPanelTest, DrawsOtherSessionsAtAnySize) {
  open_example("attention_h200");
  open_example("exhibits_h200");
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  for (const float scale : {1.0F, 2.0F}) {
    test_support::HeadlessGui gui(440 * scale, 200 * scale, scale);
    show(gui, "ladder");
    gui.frames(8);
    EXPECT_TRUE(gui.has("ladder.line.0"));
    EXPECT_TRUE(gui.errors().empty());
  }
}

}  // namespace
}  // namespace tilescope
