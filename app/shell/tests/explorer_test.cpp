#include "app/shell/explorer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "app/shell/tests/explorer_driver.hpp"
#include "app/shell/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

/// The catalogue and the tables of the source tree, with a temporary folder for output.
class ExplorerTest : public testing::Test {
 protected:
  std::unique_ptr<Explorer> start(const std::string& delay_ms = "0") {
    return start_explorer(scratch, {INSTANT_WORKER, delay_ms});
  }

  ScratchFolder scratch;
};

TEST_F(ExplorerTest, AsksForThePointItStartsWith) {
  const auto explorer = start();
  EXPECT_EQ(explorer->kernel().name, "flash_scalar");
  EXPECT_EQ(explorer->device().name, "L4");
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->points().size(), 1U);
  EXPECT_EQ(explorer->current_point(), explorer->points().back());
  EXPECT_TRUE(explorer->messages().empty());
}

TEST_F(ExplorerTest, AMovedSliderBringsAPointAndTheSameValueNoSecondOne) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const auto first = explorer->current_point();
  explorer->drag_parameter("BLOCK_M", std::int64_t{64});
  explorer->end_drag();
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->points().size(), 2U);
  explorer->undo();
  EXPECT_EQ(explorer->current_point(), first) << "what was measured is there at once";
  EXPECT_FALSE(explorer->measuring());
  explorer->redo();
  EXPECT_EQ(explorer->points().size(), 2U);
}

TEST_F(ExplorerTest, ADragOverManyValuesMeasuresTheLastAndStallsNowhere) {
  const auto explorer = start("200");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    for (const std::int64_t block : {8, 16, 32, 64, 128}) {
      explorer->drag_parameter("BLOCK_M", block);
      explorer->update();
    }
  }
  explorer->end_drag();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "500 requests of 200 ms were waited for";
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->current_point()->parameters.at("BLOCK_M"), ParameterValue(std::int64_t{128}));
  EXPECT_LE(explorer->points().size(), 5U);
  for (const auto& point : explorer->points()) EXPECT_EQ(point->status, Status::ok);
}

TEST_F(ExplorerTest, AnIllegalConfigurationIsSaidWithoutTheWorker) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  EXPECT_NE(explorer->why_invalid("NUM_WARPS", std::int64_t{6}), "");
  Experiment experiment = explorer->experiment();
  experiment.parameters["BLOCK_M"] = std::int64_t{8};
  experiment.parameters["NUM_WARPS"] = std::int64_t{16};
  explorer->set_experiment(experiment);
  ASSERT_NE(explorer->current_point(), nullptr);
  EXPECT_EQ(explorer->current_point()->status, Status::invalid_configuration);
  EXPECT_EQ(explorer->current_point()->reason, explorer->why_invalid());
  EXPECT_FALSE(explorer->measuring());
  EXPECT_EQ(explorer->points().size(), 1U) << "it is not a point of the session";
}

TEST_F(ExplorerTest, SweepsTheLegalConfigurationsOnceAndNotAgain) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const SweptParameters swept{{"BLOCK_M", {}}, {"NUM_WARPS", {}}};
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->count_sweep(swept).valid.has_value(); }));
  EXPECT_EQ(explorer->count_sweep(swept).configurations, 25U);
  EXPECT_EQ(explorer->count_sweep(swept).valid, 24U) << "25 less BLOCK_M=8 with 16 warps";
  explorer->start_sweep(swept);
  ASSERT_NE(explorer->sweep(), nullptr);
  EXPECT_EQ(explorer->sweep()->total(), 24U);
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->points().size(), 24U);
  explorer->start_sweep(swept);
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->messages().size() == 1; }));
  EXPECT_EQ(explorer->sweep(), nullptr);
  EXPECT_EQ(explorer->points().size(), 24U);
}

TEST_F(ExplorerTest, ASliderIsHeardWhileASweepRuns) {
  const auto explorer = start("20");
  ASSERT_TRUE(settle(*explorer));
  explorer->start_sweep({{"BLOCK_M", {}}, {"NUM_WARPS", {}}, {"VEC_WIDTH", {}}});
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->sweep() != nullptr; }));
  const std::size_t total = explorer->sweep()->total();
  explorer->drag_parameter("SMEM_LAYOUT", "padded");
  explorer->end_drag();
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->current_point() != nullptr; }));
  ASSERT_NE(explorer->sweep(), nullptr);
  EXPECT_LT(explorer->sweep()->done(), total / 2) << "the slider waited for the sweep";
  explorer->cancel_sweep();
  EXPECT_EQ(explorer->sweep(), nullptr);
  ASSERT_TRUE(settle(*explorer));
  const std::size_t points = explorer->points().size();
  std::this_thread::sleep_for(100ms);
  explorer->update();
  EXPECT_LE(explorer->points().size(), points + 1) << "a cancelled sweep went on";
}

TEST_F(ExplorerTest, SavesAndFindsEverythingAgain) {
  const auto file = scratch / "tuned.json";
  Configuration last;
  {
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    explorer->drag_parameter("BLOCK_N", std::int64_t{128});
    ASSERT_TRUE(settle(*explorer));
    EXPECT_TRUE(explorer->save_session(file));
    explorer->drag_parameter("BLOCK_N", std::int64_t{32});
    ASSERT_TRUE(settle(*explorer));
    last = explorer->experiment().parameters;
  }
  const auto explorer = start();
  ASSERT_TRUE(explorer->open_session(file));
  EXPECT_EQ(explorer->points().size(), 3U);
  EXPECT_EQ(explorer->experiment().parameters, last);
  EXPECT_EQ(explorer->current_point(), explorer->points().back());
  EXPECT_FALSE(explorer->can_undo());
  explorer->select_point(explorer->points()[1]);
  EXPECT_EQ(explorer->current_point()->status, Status::wrong_result);
  EXPECT_TRUE(explorer->can_undo());
}

TEST_F(ExplorerTest, RefusesADamagedSessionAndStaysWhereItIs) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  std::ofstream(scratch / "damaged.json") << "[1, 2";
  EXPECT_FALSE(explorer->open_session(scratch / "damaged.json"));
  EXPECT_EQ(explorer->points().size(), 1U);
  ASSERT_EQ(explorer->messages().size(), 1U);
  EXPECT_NE(explorer->messages()[0].find("damaged.json"), std::string::npos);
}

TEST_F(ExplorerTest, AnExampleIsRecordedAndNeverWrittenTo) {
  const auto file = scratch / "examples/example.json";
  {
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    ASSERT_TRUE(explorer->save_session(file));
  }
  const auto written = std::filesystem::last_write_time(file);
  const auto explorer = start();
  ASSERT_TRUE(explorer->open_session(file));
  EXPECT_EQ(explorer->recorded().size(), 1U);
  EXPECT_TRUE(explorer->document().file().empty());
  explorer->open_recorded(file);
  EXPECT_EQ(explorer->recorded().size(), 1U) << "opened twice";
  ASSERT_TRUE(settle(*explorer));
  explorer->document().flush();
  EXPECT_EQ(std::filesystem::last_write_time(file), written);
  explorer->close_recorded();
  EXPECT_TRUE(explorer->recorded().empty());
}

TEST_F(ExplorerTest, ASessionIsReadWhileTheWindowGoesOnAndNothingIsMeasuredMeanwhile) {
  const auto file = scratch / "large.json";
  {
    Session session;
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    session.created_utc = "2026-01-01T00:00:00Z";
    session.points.assign(3000, explorer->current_point());
    SessionWriter(file).write(session);
  }
  const auto explorer = start("50");
  bool opened = false;
  explorer->begin_opening(file, [&] { opened = true; });
  EXPECT_FALSE(opened);
  EXPECT_EQ(explorer->activity(), "opening large.json");
  explorer->drag_parameter("BLOCK_M", std::int64_t{64});
  EXPECT_FALSE(explorer->measuring()) << "it would be a point of the session that is left";
  ASSERT_TRUE(wait_for(*explorer, [&] { return opened; }));
  EXPECT_EQ(explorer->points().size(), 3000U);
  EXPECT_EQ(explorer->current_point(), explorer->points().back());
  EXPECT_EQ(explorer->activity(), "");
  EXPECT_TRUE(explorer->document().autosave_file().empty());
}

TEST_F(ExplorerTest, TheLastSessionThatWasAskedForIsOpened) {
  std::vector<std::filesystem::path> files;
  for (const std::size_t count : {500U, 1U}) {
    Session session;
    session.points.assign(count, std::make_shared<const Measurement>(
                                     failed_measurement(Experiment{}, Status::unsupported, "no GPU")));
    files.push_back(scratch / (std::to_string(count) + ".json"));
    SessionWriter(files.back()).write(session);
  }
  const auto explorer = start();
  explorer->begin_opening(files[0]);
  EXPECT_TRUE(explorer->open_session(files[1]));
  EXPECT_EQ(explorer->points().size(), 1U);
  EXPECT_EQ(explorer->document().file(), files[1]);
}

TEST_F(ExplorerTest, AWorkerThatIsNotThereIsAPointWithItsReason) {
  Installation place = find_installation();
  place.data = scratch / "data";
  WorkerConnection::Options worker;
  worker.command = {(scratch / "no_such_worker").string()};
  Explorer explorer(place, worker);
  ASSERT_TRUE(settle(explorer));
  EXPECT_EQ(explorer.current_point()->status, Status::worker_lost);
  EXPECT_FALSE(explorer.messages().empty());
  explorer.start_sweep({{"BLOCK_M", {}}, {"NUM_WARPS", {}}});
  ASSERT_TRUE(wait_for(explorer, [&] { return explorer.sweep() != nullptr; }));
  ASSERT_TRUE(settle(explorer));
  EXPECT_LT(explorer.points().size(), 8U) << "the sweep should have given up";
}

}  // namespace
}  // namespace tilescope
