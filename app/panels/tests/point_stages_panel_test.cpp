// What panels draw of a point that is being made, before a worker that sends every stage.

#include <chrono>
#include <thread>

#include "app/panels/tests/panels_fixture.hpp"

namespace tilescope {
namespace {

class PointStagesPanels : public Panels {
 protected:
  void start(std::vector<std::string> words) {
    Client::Options worker;
    worker.command = {INSTANT_WORKER, "1200", "stages"};
    worker.command.insert(worker.command.end(), words.begin(), words.end());
    explorer_ = std::make_unique<Explorer>(find_installation(), worker);
    ASSERT_TRUE(settle());
  }

  template <class Condition>
  bool wait_for(Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < limit) {
      explorer_->update();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return condition();
  }
  bool settle() {
    return wait_for([&] { return explorer_->jobs().current_point() && !explorer_->jobs().measuring(); });
  }
  bool wait_for_stage(PointStage stage) {
    return wait_for([&] {
      const auto& partial = explorer_->jobs().partial_point();
      return partial != nullptr && partial->stage == stage;
    });
  }
  void move() {
    explorer_->selection().drag_parameter("BLOCK_M", std::int64_t{64});
    explorer_->selection().end_drag();
  }
};

TEST_F(PointStagesPanels, RowsOfThePointStayInTheirPlaces) {
  ASSERT_NO_FATAL_FAILURE(start({"present", "rising"}));
  testing::HeadlessGui gui(420, 2000);
  move();
  show(gui, "details");
  EXPECT_TRUE(gui.has("details.measuring"));
  EXPECT_FALSE(gui.has("details.status"));
  const std::vector<std::string> rows{"details.row.p50", "details.row.Conflicts", "details.row.Occupancy",
                                      "details.row.Registers", "details.row.Largest"};
  std::vector<std::vector<float>> places;
  places.reserve(rows.size());
  for (const std::string& row : rows) places.push_back(gui.rectangle(row));
  for (const PointStage stage :
       {PointStage::judged, PointStage::compiled, PointStage::checked, PointStage::timed}) {
    ASSERT_TRUE(wait_for_stage(stage)) << to_string(stage);
    gui.frames();
    for (std::size_t i = 0; i < rows.size(); ++i)
      EXPECT_EQ(gui.rectangle(rows[i])[1], places[i][1]) << rows[i] << ", " << to_string(stage);
  }
  EXPECT_TRUE(panel("details").csv().find("provisional") == std::string::npos);
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_FALSE(gui.has("details.measuring"));
  EXPECT_TRUE(gui.has("details.status"));
}

TEST_F(PointStagesPanels, AProvisionalLatencyIsAMarkAndNoPoint) {
  ASSERT_NO_FATAL_FAILURE(start({"present"}));
  testing::HeadlessGui gui(900, 600);
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
  EXPECT_FALSE(explorer_->shows_another_point()) << "there is nothing to go to";
  show(gui, "points");
  EXPECT_TRUE(gui.has("row.0"));
  EXPECT_FALSE(gui.has("row.1"));
  show(gui, "latency");
  ASSERT_TRUE(settle());
  gui.frames();
  EXPECT_FALSE(gui.has("latency.provisional"));
  EXPECT_NE(panel("latency").csv(), csv);
}

TEST_F(PointStagesPanels, AnEstimatedOccupancyIsAMarkAndNoPoint) {
  ASSERT_NO_FATAL_FAILURE(start({}));
  testing::HeadlessGui gui(900, 600);
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
  testing::HeadlessGui gui(900, 600);
  show(gui, "heat_map");
  const std::string csv = panel("heat_map").csv();
  EXPECT_FALSE(gui.has("heat_map.provisional"));
  move();
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  ASSERT_TRUE(gui.has("heat_map.provisional"));
  EXPECT_EQ(gui.rectangle("heat_map.provisional"), gui.rectangle("heat_map.current"));
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
  testing::HeadlessGui gui(900, 600);
  show(gui, "latency");
  EXPECT_FALSE(gui.has("plot.latency"));
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  gui.frames();
  EXPECT_TRUE(gui.has("plot.latency"));
  EXPECT_TRUE(gui.has("latency.provisional"));
}

}  // namespace
}  // namespace tilescope
