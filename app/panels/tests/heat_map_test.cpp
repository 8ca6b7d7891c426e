#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {
namespace {

/// A session of four points of one slice: two with bank conflicts.
class HeatMapPanelTest : public Panels {
 protected:
  void open(bool timed, bool predicted = false) {
    Session session;
    session.title = "conflicts";
    session.created_utc = "2026-01-01T00:00:00Z";
    session.sources["source"] = SourceFile{"flash_scalar.cu", "first\n", {}};
    const KernelDeclaration& kernel = explorer_->selection().kernel();
    for (const std::int64_t rows : {16, 32, 64, 128}) {
      Configuration configuration = kernel.complete({});
      configuration["BLOCK_M"] = rows;
      Measurement point = make_point(kernel, configuration, "L4");
      point.resources->sass_sha256 = std::to_string(rows);  // another program for each
      point.memory.emplace().shared_wavefronts = 1000;
      point.memory->shared_conflicts = rows;
      const auto us = static_cast<double>(rows);
      if (timed) add_latency(point, us);
      if (predicted) point.prediction = Prediction{us, us * 0.9, us * 1.1, {}, "model", "", {{"tensor", us}}};
      session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
    }
    const fs::path file = scratch_.folder() / "conflicts.json";
    SessionWriter(file).write(session);
    ASSERT_TRUE(explorer_->points().open_session(file));
  }
};

TEST_F(HeatMapPanelTest, WithoutLatenciesItStartsOnBankConflicts) {
  open(false);
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  EXPECT_TRUE(gui.has("heat_map.scale")) << "no cell has a value";
  EXPECT_TRUE(gui.has("heat_map.current"));
}

TEST_F(HeatMapPanelTest, PredictionsAreMarkedAndHaveAKey) {
  open(false, true);
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  EXPECT_TRUE(gui.has("heat_map.predicted_key")) << "it starts on them";
  EXPECT_NE(panel("heat_map").csv().find("predicted latency p50 [µs]"), std::string::npos);
  gui.click("heat_map.value");
  gui.frames();
  gui.click("heat_map.value.bank_conflicts");
  gui.frames();
  EXPECT_FALSE(gui.has("heat_map.predicted_key")) << "counted values have none";
}

TEST_F(HeatMapPanelTest, SaysHowManyCannotBeToldFromTheBest) {
  open(false, true);
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  EXPECT_FALSE(gui.has("heat_map.ties")) << "14.4 to 17.6 µs and 28.8 to 35.2 µs";
  open(true);
  gui.click("heat_map.value");
  gui.click("heat_map.value.p50");
  gui.frames();
  EXPECT_TRUE(gui.has("heat_map.ties")) << "nothing is known of the noise of latencies without samples";
}

TEST_F(HeatMapPanelTest, ItFollowsTheFirstMetricWithValuesUntilOneIsPicked) {
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  EXPECT_FALSE(gui.has("heat_map.scale"));
  open(false);
  gui.frames();
  EXPECT_TRUE(gui.has("heat_map.scale"));
  gui.click("heat_map.value");
  gui.click("heat_map.value.p50");
  EXPECT_FALSE(gui.has("heat_map.scale")) << "the picked one has no values, and stays";
  open(true);
  gui.frames();
  EXPECT_TRUE(gui.has("heat_map.scale"));
}

TEST_F(HeatMapPanelTest, AClickOnACellSetsIt) {
  open(false);
  test_support::HeadlessGui gui(800, 600);
  show(gui, "heat_map");
  gui.click("heat_map.cell.16.32");
  EXPECT_EQ(value_of("BLOCK_M"), ParameterValue(std::int64_t{16}));
  EXPECT_EQ(value_of("BLOCK_N"), ParameterValue(std::int64_t{32}));
  EXPECT_EQ(gui.rectangle("heat_map.current"), gui.rectangle("heat_map.cell.16.32"));
}

}  // namespace
}  // namespace tilescope
