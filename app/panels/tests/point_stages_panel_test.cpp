// Drawing of a point that is being made, with a worker that sends every stage.

#include <implot.h>
#include <implot_internal.h>

#include <tuple>

#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {
namespace {

class PointStagesPanels : public Panels {
 protected:
  void start(const std::vector<std::string>& words) {
    std::vector<std::string> command{INSTANT_WORKER, "1200", "stages"};
    command.insert(command.end(), words.begin(), words.end());
    start_with(std::move(command));
  }

  bool wait_for_stage(PointStage stage) {
    return wait_for([&] {
      const auto& partial = explorer_->jobs().partial_point();
      return partial != nullptr && partial->stage == stage;
    });
  }
  /// With counts, a line that is slow, and a latency: what a point has in the end.
  Measurement counted_point(std::int64_t block_m) const {
    const KernelDeclaration& kernel = explorer_->selection().kernel();
    Measurement point = make_point(kernel, kernel.complete({{"BLOCK_M", block_m}}), "L4");
    add_latency(point, 50);
    point.latency->tflops_formula = "4*B*Hq*Sq*Sk*D / p50";
    point.latency->l2_warm->sm_clock_mhz = point.latency->l2_cold->sm_clock_mhz = 2040;
    point.prediction = Prediction{48, 44, 55, 12, "model", "", {{"launch", 2}, {"shared memory", 46}}};
    MemoryCounts& memory = point.memory.emplace();
    memory.blocks_run = 4;
    memory.blocks_total = 128;
    memory.shared_instructions = 1'100'000;
    memory.shared_wavefronts = 32'100'000;
    memory.shared_wavefronts_minimum = 4'100'000;
    memory.shared_conflicts = 28'000'000;
    memory.global_sectors = memory.global_sectors_minimum = 577'536;
    memory.warp_instructions = 53'077'888;
    MemorySite site;
    site.line = 148;
    site.operation = "ld.shared";
    site.tile = "K";
    site.instruction = "ld.shared.v4.u32 ...";
    site.width_bytes = 16;
    site.executions = 1'000'000;
    site.wavefronts = 32'000'000;
    site.minimum = 4'000'000;
    site.worst_degree = 8;
    site.conflicts = 28'000'000;
    memory.sites = {site};
    return point;
  }
  fs::path write_counted_points() const {
    Session session;
    session.created_utc = "2026-01-01T00:00:00Z";
    for (const std::int64_t block_m : {std::int64_t{32}, std::int64_t{64}})
      session.points.push_back(std::make_shared<const Measurement>(counted_point(block_m)));
    fs::path file = scratch_.folder() / "counted.json";
    SessionWriter(file).write(session);
    return file;
  }
  static float top(const test_support::HeadlessGui& gui, const std::string& mark) {
    return gui.rectangle(mark)[1];
  }
  static std::vector<float> tops_of_rows(const test_support::HeadlessGui& gui) {
    std::vector<float> tops;
    for (const char* row : {"p50", "Warm samples", "Wavefronts", "Conflicts", "Barriers", "Occupancy",
                            "Limiter", "Registers", "Stack", "Largest", "Rows checked"})
      tops.push_back(top(gui, std::string("details.row.") + row));
    return tops;
  }
  /// {left, right, lower, upper} of the only plot.
  static std::vector<double> axes() {
    ImPlotPlot& plot = *ImPlot::GetCurrentContext()->Plots.GetByIndex(0);
    const ImPlotRange x = plot.XAxis(0).Range, y = plot.YAxis(0).Range;
    return {x.Min, x.Max, y.Min, y.Max};
  }
  void move(std::int64_t block_m = 64) {
    explorer_->selection().drag_parameter("BLOCK_M", block_m);
    explorer_->selection().end_drag();
  }
};

TEST_F(PointStagesPanels, RowsOfThePointStayInTheirPlacesUntilItIsFinal) {
  // At the width of a small window some values and sentences wrap.
  for (const float width : {420.0F, 270.0F}) {
    ASSERT_NO_FATAL_FAILURE(start({"rising", "replay=" + write_counted_points().string()}));
    test_support::HeadlessGui gui(width, 3000);
    show(gui, "details");
    ASSERT_TRUE(gui.has("advice.0"));
    EXPECT_LT(top(gui, "details.row.Rows checked"), top(gui, "advice.0")) << "it would move the figures";
    move();
    gui.frames();
    EXPECT_TRUE(gui.has("details.measuring"));
    EXPECT_FALSE(gui.has("details.status"));
    const std::vector<float> first = tops_of_rows(gui);
    for (const PointStage stage :
         {PointStage::judged, PointStage::compiled, PointStage::checked, PointStage::timed}) {
      ASSERT_TRUE(wait_for_stage(stage)) << to_string(stage);
      gui.frames();
      EXPECT_EQ(tops_of_rows(gui), first) << to_string(stage) << " at " << width;
      EXPECT_EQ(gui.has("line.148"), stage >= PointStage::checked) << to_string(stage);
    }
    EXPECT_TRUE(panel("details").csv().find("provisional") == std::string::npos);
    ASSERT_TRUE(settle());
    gui.frames();
    EXPECT_FALSE(gui.has("details.measuring"));
    EXPECT_TRUE(gui.has("details.status"));
    EXPECT_TRUE(gui.has("advice.0"));
    EXPECT_EQ(tops_of_rows(gui), first) << "of the final point, at " << width;
  }
}

TEST_F(PointStagesPanels, RowsOfAComparisonStayInTheirPlaces) {
  ASSERT_NO_FATAL_FAILURE(start({"replay=" + write_counted_points().string()}));
  test_support::HeadlessGui gui(420, 2400);
  explorer_->shown().compare_with(explorer_->jobs().current_point());
  show(gui, "details");
  move();
  gui.frames();
  ASSERT_TRUE(gui.has("details.compared"));
  const std::vector<float> first = tops_of_rows(gui);
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  EXPECT_EQ(tops_of_rows(gui), first);
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_TRUE(gui.has("details.difference.p50"));
  EXPECT_EQ(tops_of_rows(gui), first);
}

TEST_F(PointStagesPanels, CheckersThatRunMeanwhileShowTheirProgress) {
  ASSERT_NO_FATAL_FAILURE(start({"replay=" + write_counted_points().string()}));
  test_support::HeadlessGui gui(420, 1600);
  show(gui, "details");
  move();
  gui.frames();
  ASSERT_TRUE(gui.has("details.measuring"));
  const std::vector<float> first = tops_of_rows(gui);
  gui.click("findings.run");
  EXPECT_TRUE(gui.has("details.measuring"));
  ASSERT_TRUE(gui.has("findings.running"));
  EXPECT_EQ(tops_of_rows(gui), first);
  gui.click("findings.cancel");
  EXPECT_FALSE(gui.has("findings.running"));
}

TEST_F(PointStagesPanels, AProvisionalLatencyIsAMarkAndNoPoint) {
  ASSERT_NO_FATAL_FAILURE(start({"present"}));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "latency");
  const std::string csv = panel("latency").csv();
  move();
  ASSERT_TRUE(wait_for_stage(PointStage::checked));
  gui.frames();
  EXPECT_FALSE(gui.has("latency.provisional")) << "it is not timed yet";
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  ASSERT_TRUE(gui.has("latency.provisional"));
  EXPECT_EQ(panel("latency").csv(), csv);
  gui.click("latency.provisional");
  EXPECT_FALSE(explorer_->shown().is_another()) << "there is nothing to go to";
  show(gui, "points");
  EXPECT_TRUE(gui.has("row.0"));
  EXPECT_FALSE(gui.has("row.1"));
  show(gui, "latency");
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_FALSE(gui.has("latency.provisional"));
  EXPECT_NE(panel("latency").csv(), csv);
}

TEST_F(PointStagesPanels, AZoomIsKeptWhileAProvisionalLatencyComesAndGoes) {
  ASSERT_NO_FATAL_FAILURE(start({"present"}));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "latency");
  const std::vector<double> fitted = axes();
  move();
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  EXPECT_GT(axes().back(), fitted.back()) << "the interval of a few launches is wider";
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_EQ(axes(), fitted);
  gui.wheel("plot.latency", 0, 1);
  const std::vector<double> zoomed = axes();
  ASSERT_NE(zoomed, fitted);
  move(16);
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  EXPECT_EQ(axes(), zoomed);
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_EQ(axes(), zoomed);
}

TEST_F(PointStagesPanels, APlotStaysInItsPlaceWhereTheLegendWraps) {
  ASSERT_NO_FATAL_FAILURE(start({"replay=" + write_counted_points().string()}));
  for (const auto& [name, mark, stage] :
       {std::tuple{"latency", "latency.provisional", PointStage::timed},
        std::tuple{"occupancy", "occupancy.provisional", PointStage::judged}}) {
    test_support::HeadlessGui gui(200, 600);
    show(gui, name);
    const std::string plot = std::string("plot.") + name;
    explorer_->points().new_session();
    ASSERT_TRUE(settle());
    gui.frames();
    const std::vector<float> before = gui.rectangle(plot);
    move();
    ASSERT_TRUE(wait_for_stage(stage));
    gui.frames();
    ASSERT_TRUE(gui.has(mark));
    EXPECT_EQ(gui.rectangle(plot), before) << name;
    ASSERT_TRUE(settle());
    explorer_->selection().undo();
  }
}

TEST_F(PointStagesPanels, AnEstimatedOccupancyIsAMarkAndNoPoint) {
  ASSERT_NO_FATAL_FAILURE(start({}));
  test_support::HeadlessGui gui(900, 600);
  move();
  ASSERT_TRUE(wait_for_stage(PointStage::judged));
  show(gui, "occupancy");
  EXPECT_TRUE(gui.has("occupancy.provisional"));
  EXPECT_EQ(panel("occupancy").csv().find("64"), std::string::npos) << panel("occupancy").csv();
  ASSERT_TRUE(wait_for_stage(PointStage::compiled));
  gui.frames();
  EXPECT_TRUE(gui.has("occupancy.provisional"));
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_FALSE(gui.has("occupancy.provisional"));
}

TEST_F(PointStagesPanels, ACellOfTheHeatMapIsMarkedAndHasNoValue) {
  ASSERT_NO_FATAL_FAILURE(start({"present"}));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "heat_map");
  const std::string csv = panel("heat_map").csv();
  EXPECT_FALSE(gui.has("heat_map.provisional"));
  EXPECT_FALSE(gui.has("heat_map.provisional_key"));
  const std::vector<float> cells = gui.rectangle("plot.heat_map");
  move();
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  ASSERT_TRUE(gui.has("heat_map.provisional"));
  EXPECT_EQ(gui.rectangle("heat_map.provisional"), gui.rectangle("heat_map.current"));
  ASSERT_TRUE(gui.has("heat_map.provisional_key")) << "an exported picture has no tooltip";
  EXPECT_LE(gui.rectangle("heat_map.provisional_key")[2], 900);
  EXPECT_EQ(gui.rectangle("plot.heat_map"), cells) << "the key takes no room from the cells";
  EXPECT_EQ(panel("heat_map").csv(), csv);
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_FALSE(gui.has("heat_map.provisional"));
  EXPECT_NE(panel("heat_map").csv(), csv);
}

TEST_F(PointStagesPanels, AnEmptyLatencyPlotSaysHowFarThePointHasCome) {
  ASSERT_NO_FATAL_FAILURE(start({"present"}));
  explorer_->points().new_session();
  ASSERT_TRUE(wait_for([&] { return explorer_->jobs().measuring(); }));
  test_support::HeadlessGui gui(900, 600);
  show(gui, "latency");
  EXPECT_FALSE(gui.has("plot.latency"));
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  EXPECT_TRUE(gui.has("plot.latency"));
  EXPECT_TRUE(gui.has("latency.provisional"));
}

}  // namespace
}  // namespace tilescope
