#include <cmath>

#include "app/panels/tests/panels_fixture.hpp"
#include "profiler/views/model/roofline.hpp"

namespace tilescope {
namespace {

class RooflinePanelTest : public Panels {
 protected:
  Measurement timed(const std::string& device, double p50_us) const {
    const KernelDeclaration& kernel = explorer_->selection().kernel();
    Measurement point = make_point(kernel, kernel.complete({}), device);
    add_latency(point, p50_us);
    return point;
  }
  static void count(Measurement& point, std::int64_t sectors, std::int64_t wavefronts) {
    point.memory.emplace().global_sectors = sectors;
    point.memory->shared_wavefronts = wavefronts;
  }
  /// Middle of a landmark.
  static ImVec2 middle(const test_support::HeadlessGui& gui, const std::string& mark) {
    const std::vector<float> at = gui.rectangle(mark);
    return {(at[0] + at[2]) / 2, (at[1] + at[3]) / 2};
  }
};

TEST_F(RooflinePanelTest, DotsLieWhereTheViewModelPutsThem) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {timed("L4", 100), timed("L4", 1000)})));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  const RooflineView view = roofline(explorer_->selection().device(), {}, explorer_->points().list(), {}, {});
  ASSERT_EQ(view.series.size(), 1u);
  const ImVec2 fast = middle(gui, "roofline.dot.0.0");
  const ImVec2 slow = middle(gui, "roofline.dot.0.1");
  EXPECT_FLOAT_EQ(fast.x, slow.x) << "both have the same compulsory bytes";
  const std::vector<float> plot = gui.rectangle("plot.roofline");
  const double decades = std::log10(view.high_tflops / view.low_tflops);
  EXPECT_NEAR((slow.y - fast.y) / (plot[3] - plot[1]), 1 / decades, 0.005) << "a factor of ten apart";
  EXPECT_GT(fast.y, middle(gui, "roofline.ceiling.tensor FP16").y) << "below the peak";
}

TEST_F(RooflinePanelTest, ADoubleClickShowsAllPointsAsAtFirst) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {timed("L4", 100), timed("L4", 1000)})));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  const std::vector<float> before = gui.rectangle("roofline.dot.0.1");
  gui.wheel("plot.roofline", 0, 3);
  gui.double_click("plot.roofline");
  EXPECT_EQ(gui.rectangle("roofline.dot.0.1"), before);
}

TEST_F(RooflinePanelTest, AClickShowsThePoint) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {timed("L4", 100), timed("L4", 1000)})));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  gui.click("roofline.dot.0.0");
  EXPECT_EQ(explorer_->shown().point(), explorer_->points().list().at(0));
}

TEST_F(RooflinePanelTest, APointWithoutALatencyIsATickOnTheRoof) {
  Measurement point = timed("L4", 1);
  point.latency.reset();
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {point})));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  EXPECT_FALSE(gui.has("roofline.dot.0.0"));
  ASSERT_TRUE(gui.has("roofline.tick.0"));
  EXPECT_NE(panel("roofline").csv().find("no latency,flash_scalar,L4,"), std::string::npos);
  gui.click("roofline.tick.0");
  EXPECT_EQ(explorer_->shown().point(), explorer_->points().list().at(0));
}

TEST_F(RooflinePanelTest, TheRingBelongsToThePointThatIsShownNotToTheNewest) {
  Measurement point = timed("L4", 1);
  point.latency.reset();
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {point, point})));
  explorer_->shown().show(explorer_->points().list().at(0));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  EXPECT_TRUE(gui.has("roofline.ring"));
  gui.click("roofline.tick.0");
  EXPECT_EQ(explorer_->shown().point(), explorer_->points().list().at(0))
      << "the tooltip and the click agree";
}

TEST_F(RooflinePanelTest, WhereNothingWasCountedOneClickLeadsToDram) {
  ASSERT_TRUE(explorer_->points().open_recorded(write_points("recorded", {timed("H200", 20)})));
  explorer_->shown().stop();
  test_support::HeadlessGui gui(900, 600);
  panel("roofline").take_option("level shared");
  show(gui, "roofline");
  EXPECT_FALSE(gui.has("plot.roofline"));
  gui.click("empty_state.button");
  gui.frames();
  EXPECT_TRUE(gui.has("roofline.dot.0.0"));
  EXPECT_EQ(panel("roofline").options().front(), "level dram");
}

TEST_F(RooflinePanelTest, TheLowestRoofOfTheShownPointIsSaidInEveryView) {
  make_present("L4");
  Measurement point = timed("L4", 100);
  count(point, 1000, 37'100'000);
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {point})));
  explorer_->shown().show(explorer_->points().list().at(0));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  for (const char* level : {"dram", "l2", "shared"}) {
    gui.click(std::string("roofline.level.") + level);
    gui.frames();
    EXPECT_TRUE(gui.has("roofline.lowest")) << level;
  }
}

TEST_F(RooflinePanelTest, OnlyTheBandwidthOfTheChosenLevelIsDrawn) {
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  EXPECT_TRUE(gui.has("roofline.ceiling.DRAM"));
  EXPECT_FALSE(gui.has("roofline.ceiling.L2"));
  gui.click("roofline.level.l2");
  gui.frames();
  EXPECT_FALSE(gui.has("roofline.ceiling.DRAM"));
  EXPECT_TRUE(gui.has("roofline.ceiling.L2"));
}

TEST_F(RooflinePanelTest, TheLevelMovesPointsByTheirCountedBytes) {
  make_present("L4");
  Measurement counted = timed("L4", 100);
  count(counted, 1 << 20, 1 << 20);
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {counted, timed("L4", 90)})));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  EXPECT_TRUE(gui.has("roofline.dot.0.1"));
  gui.click("roofline.level.l2");
  EXPECT_TRUE(gui.has("roofline.dot.0.0"));
  EXPECT_FALSE(gui.has("roofline.dot.0.1")) << "its sectors were not counted";
  const std::string l2 = panel("roofline").csv();
  EXPECT_NE(l2.find("," + std::to_string((1 << 20) * 32) + ","), std::string::npos) << l2;
  gui.click("roofline.level.shared");
  const std::string shared = panel("roofline").csv();
  EXPECT_NE(shared.find("," + std::to_string((1 << 20) * 128) + ","), std::string::npos) << shared;
  EXPECT_EQ(panel("roofline").options().front(), "level shared");
}

TEST_F(RooflinePanelTest, WithoutPointsOfTheDeviceTheRecordedOnesAreShownUnderTheirOwnRoof) {
  ASSERT_TRUE(explorer_->points().open_recorded(write_points("recorded", {timed("H200", 20)})));
  explorer_->shown().stop();
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  EXPECT_TRUE(gui.has("roofline.dot.0.0"));
  EXPECT_NE(panel("roofline").csv().find("recorded,flash_scalar,H200,"), std::string::npos);
  EXPECT_NE(panel("roofline").csv().find("ceiling,DRAM,H200,"), std::string::npos);
}

TEST_F(RooflinePanelTest, TheDeviceCanBeChosenWhereSeveralHavePoints) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {timed("L4", 100)})));
  ASSERT_TRUE(explorer_->points().open_recorded(write_points("recorded", {timed("H200", 20)})));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  EXPECT_NE(panel("roofline").csv().find("measured,flash_scalar,L4,"), std::string::npos);
  gui.click("roofline.device");
  gui.click("roofline.device.H200");
  EXPECT_NE(panel("roofline").csv().find("recorded,flash_scalar,H200,"), std::string::npos);
}

TEST_F(RooflinePanelTest, PointsOfAnotherShapeAreOneClickAway) {
  make_present("L4");
  Measurement longer = timed("L4", 100);
  longer.shape.Sq = 2048;
  ASSERT_TRUE(explorer_->points().open_session(write_points("here", {longer})));
  Experiment experiment = explorer_->selection().experiment();
  experiment.shape = Shape{};
  explorer_->selection().set_experiment(experiment);
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  EXPECT_FALSE(gui.has("roofline.dot.0.0"));
  gui.click("empty_state.button");
  gui.frames();
  EXPECT_TRUE(gui.has("roofline.dot.0.0"));
}

TEST_F(RooflinePanelTest, ACeilingSaysWhereItIsFrom) {
  test_support::HeadlessGui gui(900, 600);
  show(gui, "roofline");
  gui.move_to("roofline.ceiling.tensor FP16");
  gui.frames();
  EXPECT_TRUE(gui.has("roofline.ceiling_tooltip"));
}

}  // namespace
}  // namespace tilescope
