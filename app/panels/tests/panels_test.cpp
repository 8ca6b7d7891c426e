#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <thread>

#include "app/explorer/explorer.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/points/kernel_points.hpp"
#include "app/panels/tests/panels_fixture.hpp"
#include "app/widgets/tests/headless_gui.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "sessions/session.hpp"
#include "sessions/views/points/heat_map.hpp"

namespace tilescope {
namespace {

TEST_F(Panels, AllAreRegisteredOnce) {
  std::set<std::string> ids;
  for (const auto& each : panels_) ids.insert(each->id());
  EXPECT_EQ(ids, (std::set<std::string>{"access-sites",
                                        "code-difference",
                                        "compare",
                                        "compare-sides",
                                        "compared-figures",
                                        "configuration",
                                        "details",
                                        "distributions",
                                        "execution",
                                        "lesson",
                                        "softmax",
                                        "tiles",
                                        "fragments",
                                        "heat_map",
                                        "ladder",
                                        "file-microscope",
                                        "latency",
                                        "microscope",
                                        "model",
                                        "occupancy",
                                        "points",
                                        "kernel-file",
                                        "roofline",
                                        "shared-memory",
                                        "source",
                                        "swizzle-solver",
                                        "file-shared-memory",
                                        "file-swizzle-solver"}));
  EXPECT_EQ(ids.size(), panels_.size());
}

TEST_F(Panels, EachDrawsAnEmptyExplorer) {
  for (const ThemeKind theme : {ThemeKind::dark, ThemeKind::light}) {
    test_support::HeadlessGui gui(400, 300, 1, theme);
    show_all(gui);
  }
}

TEST_F(Panels, EachDrawsPointsWithoutALatencyBeforeRecordedOnes) {
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", false)));
  explorer_->points().open_recorded(write_session("recorded", "H200", true));
  test_support::HeadlessGui gui(1280, 720);
  show_all(gui);
  EXPECT_FALSE(explorer_->points().recorded().empty());
}

TEST_F(Panels, EachDrawsTimedPointsAtTwiceTheScale) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  test_support::HeadlessGui gui(1200, 900, 2);
  show_all(gui);
}

TEST_F(Panels, EachMarksPointsOfAnOlderSource) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  test_support::HeadlessGui gui(1200, 900);
  show(gui, "points");
  EXPECT_FALSE(gui.has("points.header.source")) << "a column that says nothing";
  show(gui, "details");
  EXPECT_FALSE(gui.has("details.older_source"));
  explorer_->kernels().watch();
  for (int i = 0; i < 3000 && explorer_->kernels().sources().empty(); ++i) {
    explorer_->update();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ASSERT_FALSE(explorer_->kernels().sources().empty()) << "the session's points are of the source \"source\"";
  show_all(gui);
  show(gui, "points");
  EXPECT_TRUE(gui.has("points.header.source"));
  show(gui, "details");
  EXPECT_TRUE(gui.has("details.older_source"));
}

TEST_F(Panels, EachDrawsEveryPointOfASession) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  std::set<Status> seen;
  test_support::HeadlessGui gui(360, 640);
  for (const auto& point : explorer_->points().list()) {
    if (!seen.insert(point->status).second) continue;
    explorer_->selection().select_point(*point);
    show_all(gui);
  }
  EXPECT_EQ(seen.size(), 3u);
}

TEST_F(Panels, ASliderMovesTheConfigurationAndCanBeUndone) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  const Experiment before = explorer_->selection().experiment();
  gui.click("slider.BLOCK_M.128");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{128}));
  explorer_->selection().undo();
  EXPECT_EQ(explorer_->selection().experiment(), before);
}

TEST_F(Panels, ABrokenKernelIsInThePickerWithItsErrorAndCannotBeChosen) {
  const fs::path root = scratch_.folder() / "root";
  fs::create_directories(root / "kernels");
  fs::create_directory_symlink(explorer_->installation().root / "assets", root / "assets");
  for (const char* name : {"naive.cu", "flash_scalar.cu"})
    fs::copy_file(explorer_->installation().kernels / "attention" / name, root / "kernels" / name);
  std::ofstream(root / "kernels/mine.cu")
      << "/* tilescope-kernel\n{\"name\": \"mine\", \"role\": \"rug\"}\n*/\n";
  setenv("TILESCOPE_ROOT", root.c_str(), 1);
  explorer_ = std::make_unique<Explorer>(find_installation(), Client::Options{});
  EXPECT_EQ(explorer_->kernels().all().size(), 2U);
  EXPECT_TRUE(explorer_->notices().errors().empty());

  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("picker.kernel");
  ASSERT_TRUE(gui.has("kernel.naive"));
  ASSERT_TRUE(gui.has("broken.mine.cu"));
  const int without_error = gui.vertices();
  gui.move_to("broken.mine.cu");
  gui.frames(120);  // the mouse rests
  const auto letters = static_cast<int>(explorer_->kernels().broken().at(0).error.size());
  EXPECT_GT(gui.vertices(), without_error + 2 * letters) << "the error is not drawn";
  gui.click("broken.mine.cu");
  EXPECT_EQ(explorer_->selection().experiment().kernel, "flash_scalar");
  gui.click("kernel.naive");
  EXPECT_EQ(explorer_->selection().experiment().kernel, "naive");
}

TEST_F(Panels, DefaultsComeBackWithOneClick) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  const Configuration defaults = explorer_->selection().kernel().complete({});
  gui.click("slider.BLOCK_M.128");
  gui.click("slider.VEC_WIDTH.1");
  ASSERT_NE(explorer_->selection().kernel().complete(explorer_->selection().experiment().parameters),
            defaults);
  gui.click("button.defaults");
  EXPECT_EQ(explorer_->selection().kernel().complete(explorer_->selection().experiment().parameters),
            defaults);
}

TEST_F(Panels, ASizeThatIsTypedBecomesTheShapeAndItsPairFollows) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("shape.Sq");
  gui.type("1024");
  gui.key(ImGuiKey_Enter);
  EXPECT_EQ(explorer_->selection().experiment().shape.Sq, 1024);
  EXPECT_EQ(explorer_->selection().experiment().shape.Sk, 1024);
}

TEST_F(Panels, AMalformedShapeIsNotTaken) {
  test_support::HeadlessGui gui(400, 700);
  show(gui, "configuration");
  gui.click("shape.Hkv");
  gui.type("3");
  gui.key(ImGuiKey_Enter);
  EXPECT_EQ(explorer_->selection().experiment().shape.Hkv, 8);
}

TEST_F(Panels, AClickOnTheHeatMapSetsBothParameters) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  // Five values across and four down: the middle is the third value across.
  gui.click("plot.heat_map");
  const ParameterDeclaration& across = explorer_->selection().kernel().parameters[0];
  EXPECT_EQ(value_of(across.name), across.values[across.values.size() / 2]);
  EXPECT_TRUE(gui.errors().empty());
}

TEST_F(Panels, TheHeatMapShowsAnyMetricThatIsANumber) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  std::size_t shown = 0;
  for (const Metric* metric : heat_metrics()) {
    gui.click("heat_map.value");
    ASSERT_TRUE(gui.has("heat_map.value." + metric->tag)) << metric->tag;
    gui.click("heat_map.value." + metric->tag);
    EXPECT_FALSE(gui.has("heat_map.value." + metric->tag)) << "the list stays open";
    EXPECT_TRUE(gui.has("plot.heat_map")) << metric->tag;
    EXPECT_TRUE(gui.errors().empty()) << metric->tag;
    ++shown;
  }
  EXPECT_GE(shown, 10U);
}

TEST_F(Panels, TheLatencyPlotTakesAllConfigurations) {
  make_present("L4");
  ASSERT_TRUE(explorer_->points().open_session(write_session("here", "L4", true)));
  test_support::HeadlessGui gui(800, 600);
  show(gui, "latency");
  const int before = gui.vertices();
  gui.click("latency.all");
  EXPECT_GT(gui.vertices(), before + 5000);
}

}  // namespace
}  // namespace tilescope
