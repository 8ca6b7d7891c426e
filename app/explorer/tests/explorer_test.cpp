#include "app/explorer/explorer.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "app/explorer/tests/explorer_driver.hpp"
#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

using namespace std::chrono_literals;

/// The catalogue and the tables of the source tree; what is written goes to a scratch folder.
class ExplorerTest : public testing::Test {
 protected:
  std::unique_ptr<Explorer> start(const std::string& delay_ms = "0") {
    return start_explorer(scratch, {INSTANT_WORKER, delay_ms});
  }

  ScratchFolder scratch;
};

TEST_F(ExplorerTest, AsksForThePointItStartsWith) {
  const auto explorer = start();
  EXPECT_EQ(explorer->selection().kernel().name, "flash_scalar");
  EXPECT_EQ(explorer->selection().device().name, "L4");
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->points().list().size(), 1U);
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list().back());
  EXPECT_TRUE(explorer->notices().errors().empty());
}

TEST_F(ExplorerTest, AMovedSliderBringsAPointAndTheSameValueNoSecondOne) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const auto first = explorer->jobs().current_point();
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
  explorer->selection().end_drag();
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->points().list().size(), 2U);
  explorer->selection().undo();
  EXPECT_EQ(explorer->jobs().current_point(), first) << "what was measured is there at once";
  EXPECT_FALSE(explorer->jobs().measuring());
  explorer->selection().redo();
  EXPECT_EQ(explorer->points().list().size(), 2U);
}

TEST_F(ExplorerTest, ADragOverManyValuesMeasuresTheLastAndStallsNowhere) {
  const auto explorer = start("200");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i) {
    for (const std::int64_t block : {8, 16, 32, 64, 128}) {
      explorer->selection().drag_parameter("BLOCK_M", block);
      explorer->update();
    }
  }
  explorer->selection().end_drag();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "500 requests of 200 ms were waited for";
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->jobs().current_point()->parameters.at("BLOCK_M"), ParameterValue(std::int64_t{128}));
  EXPECT_LE(explorer->points().list().size(), 5U);
  for (const auto& point : explorer->points().list()) EXPECT_EQ(point->status, Status::ok);
}

TEST_F(ExplorerTest, AnIllegalConfigurationIsSaidWithoutTheWorker) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  EXPECT_NE(explorer->selection().why_invalid("NUM_WARPS", std::int64_t{6}), "");
  Experiment experiment = explorer->selection().experiment();
  experiment.parameters["BLOCK_M"] = std::int64_t{8};
  experiment.parameters["NUM_WARPS"] = std::int64_t{16};
  explorer->selection().set_experiment(experiment);
  ASSERT_NE(explorer->jobs().current_point(), nullptr);
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::invalid_configuration);
  EXPECT_EQ(explorer->jobs().current_point()->reason, explorer->selection().why_invalid());
  EXPECT_FALSE(explorer->jobs().measuring());
  EXPECT_EQ(explorer->points().list().size(), 1U) << "it is not a point of the session";
}

TEST_F(ExplorerTest, SweepsTheLegalConfigurationsOnceAndNotAgain) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const SweptParameters swept{{"BLOCK_M", {}}, {"NUM_WARPS", {}}};
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().count_sweep(swept).valid.has_value(); }));
  EXPECT_EQ(explorer->jobs().count_sweep(swept).configurations, 25U);
  EXPECT_EQ(explorer->jobs().count_sweep(swept).valid, 24U) << "25 less BLOCK_M=8 with 16 warps";
  explorer->jobs().start_sweep(swept);
  ASSERT_NE(explorer->jobs().sweep(), nullptr);
  EXPECT_EQ(explorer->jobs().sweep()->total(), 24U);
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->points().list().size(), 24U);
  EXPECT_EQ(explorer->jobs().swept_parameters(), (std::vector<std::string>{"BLOCK_M", "NUM_WARPS"}));
  ASSERT_NE(explorer->jobs().sweep_summary(), nullptr);
  EXPECT_TRUE(explorer->jobs().sweep_summary()->counts.starts_with("24 points (1 in the session before): "));
  explorer->jobs().start_sweep(swept);
  const auto ended_again = [&] {
    return explorer->jobs().sweeps_started() == 2 && explorer->jobs().sweep_summary() != nullptr;
  };
  ASSERT_TRUE(wait_for(*explorer, ended_again));
  EXPECT_TRUE(explorer->jobs().sweep_summary()->counts.starts_with("24 points, all in the session before"));
  EXPECT_TRUE(explorer->notices().list().empty());
  EXPECT_EQ(explorer->jobs().sweep(), nullptr);
  EXPECT_EQ(explorer->points().list().size(), 24U);
}

TEST_F(ExplorerTest, ASliderIsHeardWhileASweepRuns) {
  const auto explorer = start("20");
  ASSERT_TRUE(settle(*explorer));
  explorer->jobs().start_sweep({{"BLOCK_M", {}}, {"NUM_WARPS", {}}, {"VEC_WIDTH", {}}});
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().sweep() != nullptr; }));
  const std::size_t total = explorer->jobs().sweep()->total();
  explorer->selection().drag_parameter("SMEM_LAYOUT", "padded");
  explorer->selection().end_drag();
  ASSERT_TRUE(wait_for(*explorer, [&] { return explorer->jobs().current_point() != nullptr; }));
  ASSERT_NE(explorer->jobs().sweep(), nullptr);
  EXPECT_LT(explorer->jobs().sweep()->done(), total / 2) << "the slider waited for the sweep";
  explorer->jobs().cancel_sweep();
  EXPECT_EQ(explorer->jobs().sweep(), nullptr);
  ASSERT_NE(explorer->jobs().sweep_summary(), nullptr);
  EXPECT_TRUE(explorer->jobs().sweep_summary()->counts.starts_with("Cancelled after "));
  explorer->jobs().dismiss_sweep_summary();
  EXPECT_EQ(explorer->jobs().sweep_summary(), nullptr);
  ASSERT_TRUE(settle(*explorer));
  const std::size_t points = explorer->points().list().size();
  std::this_thread::sleep_for(100ms);
  explorer->update();
  EXPECT_LE(explorer->points().list().size(), points + 1) << "a cancelled sweep went on";
}

TEST_F(ExplorerTest, SavesAndFindsEverythingAgain) {
  const auto file = scratch / "tuned.json";
  Configuration last;
  {
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    explorer->selection().drag_parameter("BLOCK_N", std::int64_t{128});
    ASSERT_TRUE(settle(*explorer));
    EXPECT_TRUE(explorer->points().save_session(file));
    explorer->selection().drag_parameter("BLOCK_N", std::int64_t{32});
    ASSERT_TRUE(settle(*explorer));
    EXPECT_TRUE(explorer->points().save_session());
    last = explorer->selection().experiment().parameters;
  }
  const auto explorer = start();
  ASSERT_TRUE(explorer->points().open_session(file));
  EXPECT_EQ(explorer->points().list().size(), 3U);
  EXPECT_EQ(explorer->selection().experiment().parameters, last);
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list().back());
  EXPECT_FALSE(explorer->selection().can_undo());
  explorer->selection().select_point(*explorer->points().list()[1]);
  EXPECT_EQ(explorer->jobs().current_point()->status, Status::wrong_result);
  EXPECT_TRUE(explorer->selection().can_undo());
}

TEST_F(ExplorerTest, ANewSessionSaysWhereTheFormerOneIsKept) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const std::string kept = explorer->points().document().autosave_file().stem().string();
  explorer->points().new_session();
  ASSERT_EQ(explorer->notices().list().size(), 1U);
  EXPECT_NE(explorer->notices().list()[0].text.find(kept), std::string::npos);
  EXPECT_TRUE(explorer->notices().errors().empty());
}

TEST_F(ExplorerTest, RefusesADamagedSessionAndStaysWhereItIs) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  std::ofstream(scratch / "damaged.json") << "[1, 2";
  EXPECT_FALSE(explorer->points().open_session(scratch / "damaged.json"));
  EXPECT_EQ(explorer->points().list().size(), 1U);
  ASSERT_EQ(explorer->notices().errors().size(), 1U);
  EXPECT_NE(explorer->notices().errors()[0].find("damaged.json"), std::string::npos);
}

TEST_F(ExplorerTest, AnExampleIsRecordedAndNeverWrittenTo) {
  const auto file = scratch / "examples/example.json";
  {
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    ASSERT_TRUE(explorer->points().save_session(file));
  }
  const auto written = std::filesystem::last_write_time(file);
  const auto explorer = start();
  ASSERT_TRUE(explorer->points().open_session(file));
  EXPECT_EQ(explorer->points().recorded().size(), 1U);
  EXPECT_TRUE(explorer->points().document().file().empty());
  explorer->points().open_recorded(file);
  EXPECT_EQ(explorer->points().recorded().size(), 1U) << "opened twice";
  ASSERT_TRUE(settle(*explorer));
  explorer->points().document().flush();
  EXPECT_EQ(std::filesystem::last_write_time(file), written);
  explorer->points().close_all_recorded();
  EXPECT_TRUE(explorer->points().recorded().empty());
}

TEST_F(ExplorerTest, ASessionIsReadWhileTheWindowGoesOnAndNothingIsMeasuredMeanwhile) {
  const auto file = scratch / "large.json";
  {
    Session session;
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    session.created_utc = "2026-01-01T00:00:00Z";
    session.points.assign(3000, explorer->jobs().current_point());
    SessionWriter(file).write(session);
  }
  const auto explorer = start("50");
  bool opened = false;
  explorer->points().begin_opening(file, [&] { opened = true; });
  EXPECT_FALSE(opened);
  EXPECT_EQ(explorer->activity(), "opening large.json");
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
  EXPECT_FALSE(explorer->jobs().measuring()) << "it would be a point of the session that is left";
  ASSERT_TRUE(wait_for(*explorer, [&] { return opened; }));
  EXPECT_EQ(explorer->points().list().size(), 3000U);
  EXPECT_EQ(explorer->jobs().current_point(), explorer->points().list().back());
  EXPECT_FALSE(explorer->jobs().measuring());
  EXPECT_TRUE(wait_for(*explorer, [&] { return explorer->activity().empty(); })) << explorer->activity();
  EXPECT_TRUE(explorer->points().document().autosave_file().empty());
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
  explorer->points().begin_opening(files[0]);
  EXPECT_TRUE(explorer->points().open_session(files[1]));
  EXPECT_EQ(explorer->points().list().size(), 1U);
  EXPECT_EQ(explorer->points().document().file(), files[1]);
}

TEST_F(ExplorerTest, AWorkerThatIsNotThereIsAPointWithItsReason) {
  Installation place = find_installation();
  place.data = scratch / "data";
  Client::Options worker;
  worker.command = {(scratch / "no_such_worker").string()};
  Explorer explorer(place, worker);
  ASSERT_TRUE(settle(explorer));
  EXPECT_EQ(explorer.jobs().current_point()->status, Status::worker_lost);
  EXPECT_FALSE(explorer.notices().errors().empty());
  explorer.jobs().start_sweep({{"BLOCK_M", {}}, {"NUM_WARPS", {}}});
  ASSERT_TRUE(wait_for(explorer, [&] { return explorer.jobs().sweep() != nullptr; }));
  ASSERT_TRUE(settle(explorer));
  EXPECT_LT(explorer.points().list().size(), 8U) << "the sweep should have given up";
}

}  // namespace
}  // namespace tilescope
