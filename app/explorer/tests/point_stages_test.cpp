// The point under the sliders as it grows, before a worker that sends every stage.

#include <gtest/gtest.h>
#include <signal.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/tests/explorer_driver.hpp"

namespace tilescope {
namespace {

class PointStagesTest : public ::testing::Test {
 protected:
  void start(const std::string& delay_ms, const std::string& present = "") {
    std::vector<std::string> command{INSTANT_WORKER, delay_ms, "stages"};
    if (!present.empty()) command.push_back(present);
    explorer = start_explorer(scratch, command);
    ASSERT_TRUE(settle(*explorer));
  }
  // The worker waits behind every stage until let_pass() was called once more.
  void start_gated() {
    let_pass(4);  // of the first point
    explorer = start_explorer(scratch, {INSTANT_WORKER, "0", "stages", "present", "gate=" + gate().string()});
    ASSERT_TRUE(settle(*explorer));
  }
  void let_pass(std::size_t stages = 1) { std::ofstream(gate(), std::ios::app) << std::string(stages, '.'); }
  std::filesystem::path gate() const { return scratch / "gate"; }
  const PartialPoint* partial() const { return explorer->jobs().partial_point().get(); }
  void drag(const std::string& parameter, std::int64_t value) {
    explorer->selection().drag_parameter(parameter, value);
    explorer->selection().end_drag();
  }
  bool wait_for_stage(PointStage stage) {
    return wait_for(*explorer, [&] { return partial() != nullptr && partial()->stage == stage; });
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

TEST_F(PointStagesTest, StagesAreReplacedInPlaceUntilThePointIsThere) {
  ASSERT_NO_FATAL_FAILURE(start_gated());
  EXPECT_EQ(partial(), nullptr);
  const std::size_t points = explorer->points().list().size();
  drag("BLOCK_M", 64);
  std::vector<PointStage> seen;
  ASSERT_TRUE(wait_for(*explorer, [&] {
    if (const PartialPoint* now = partial()) {
      EXPECT_EQ(explorer->jobs().current_point(), nullptr);
      EXPECT_EQ(explorer->points().list().size(), points) << "nothing provisional is a point";
      EXPECT_EQ(now->so_far.parameters.at("BLOCK_M"), ParameterValue(std::int64_t{64}));
      if (seen.empty() || seen.back() != now->stage) {
        seen.push_back(now->stage);
        let_pass();
      }
    }
    return explorer->jobs().current_point() != nullptr;
  }));
  EXPECT_EQ(seen, (std::vector<PointStage>{PointStage::judged, PointStage::compiled, PointStage::checked,
                                           PointStage::timed}));
  EXPECT_EQ(partial(), nullptr);
  EXPECT_EQ(explorer->points().list().size(), points + 1);
}

TEST_F(PointStagesTest, ANewMoveDropsThePartialPointAndLatePartsAreIgnored) {
  ASSERT_NO_FATAL_FAILURE(start("200"));
  drag("BLOCK_M", 64);
  ASSERT_TRUE(wait_for_stage(PointStage::judged));
  drag("BLOCK_M", 128);
  EXPECT_EQ(partial(), nullptr);
  ASSERT_TRUE(wait_for(*explorer, [&] {
    if (const PartialPoint* now = partial()) {
      EXPECT_EQ(now->so_far.parameters.at("BLOCK_M"), ParameterValue(std::int64_t{128}));
    }
    return explorer->jobs().current_point() != nullptr;
  }));
  for (const SharedMeasurement& point : explorer->points().list())
    EXPECT_NE(point->parameters.at("BLOCK_M"), ParameterValue(std::int64_t{64})) << "it was cancelled";
}

TEST_F(PointStagesTest, AMoveToAPointThatIsThereEndsTheStages) {
  ASSERT_NO_FATAL_FAILURE(start("200"));
  const SharedMeasurement first = explorer->jobs().current_point();
  drag("BLOCK_M", 64);
  ASSERT_TRUE(wait_for_stage(PointStage::compiled));
  explorer->selection().undo();
  EXPECT_EQ(partial(), nullptr);
  EXPECT_EQ(explorer->jobs().current_point(), first);
  // Whatever was under way arrives now.
  EXPECT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().activity().empty(); }));
  EXPECT_EQ(partial(), nullptr);
  EXPECT_EQ(explorer->jobs().current_point(), first);
}

TEST_F(PointStagesTest, AWorkerThatDiesInAStageLeavesAPointThatSaysSo) {
  ASSERT_NO_FATAL_FAILURE(start("2000"));
  drag("BLOCK_M", 64);
  ASSERT_TRUE(wait_for_stage(PointStage::compiled));
  ASSERT_EQ(kill(explorer->jobs().worker_pid(), SIGKILL), 0);
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::worker_lost);
  EXPECT_FALSE(explorer->jobs().current_point()->resources) << "nothing of the stage was kept";
  EXPECT_EQ(partial(), nullptr);
}

TEST_F(PointStagesTest, NothingProvisionalIsSaved) {
  ASSERT_NO_FATAL_FAILURE(start("200", "present"));
  drag("BLOCK_M", 64);
  ASSERT_TRUE(wait_for_stage(PointStage::timed));
  ASSERT_TRUE(explorer->points().save_session(scratch / "saved.json"));
  EXPECT_EQ(load_session(scratch / "saved.json").points.size(), 1U);
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(explorer->points().save_session(scratch / "saved.json"));
  const Session saved = load_session(scratch / "saved.json");
  ASSERT_EQ(saved.points.size(), 2U);
  EXPECT_EQ(saved.points.back()->latency->p90_us, 50) << "that of the answer, not of the stage";
}

TEST_F(PointStagesTest, TheMeterTimesTheMovesOfThePerson) {
  ASSERT_NO_FATAL_FAILURE(start("40", "present"));
  EXPECT_EQ(explorer->meter().moves(), 0U) << "nobody moved for the first point";
  drag("BLOCK_M", 64);
  ASSERT_TRUE(settle(*explorer));
  explorer->selection().undo();
  EXPECT_EQ(explorer->meter().moves(), 2U);
  const auto rows = explorer->meter().rows();
  EXPECT_EQ(rows[static_cast<std::size_t>(AnswerSource::session)].moves, 1U);
  const auto& compiled = rows[static_cast<std::size_t>(AnswerSource::compiled)];
  EXPECT_EQ(compiled.moves, 1U);
  for (std::size_t i = 0; i < answer_stages; ++i) EXPECT_TRUE(compiled.received[i]) << i;
}

TEST_F(PointStagesTest, GoingToAPointOrToASessionIsNoMove) {
  ASSERT_NO_FATAL_FAILURE(start("0", "present"));
  drag("BLOCK_M", 64);
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(explorer->points().save_session(scratch / "saved.json"));
  const Experiment there = explorer->selection().experiment();
  explorer->shown().show(explorer->points().list().front());
  EXPECT_NE(explorer->selection().experiment(), there) << "as by a click in the table";
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(explorer->points().open_session(scratch / "saved.json"));
  ASSERT_TRUE(settle(*explorer));
  explorer->selection().start_with(experiment_of(*explorer->points().list().front()));
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->meter().moves(), 1U);
}

TEST_F(PointStagesTest, AMoveToAnInvalidConfigurationHasNoAnswer) {
  ASSERT_NO_FATAL_FAILURE(start("0", "present"));
  Experiment experiment = explorer->selection().experiment();
  experiment.parameters["BLOCK_M"] = std::int64_t{128};
  experiment.parameters["BLOCK_N"] = std::int64_t{128};
  experiment.shape.D = 256;
  explorer->selection().set_experiment(experiment);
  ASSERT_FALSE(explorer->selection().why_invalid().empty());
  EXPECT_EQ(explorer->meter().rows().back().moves, 1U) << "known without a later move";
}

}  // namespace
}  // namespace tilescope
