#include "app/explorer/points/recorded_session.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "app/explorer/tests/explorer_driver.hpp"
#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// A machine with an L4 measures a session; one without a GPU opens it.
class RecordedSessionTest : public testing::Test {
 protected:
  std::unique_ptr<Explorer> start(const std::string& gpu = "none") {
    return start_explorer(scratch, {INSTANT_WORKER, "0", gpu});
  }

  /// The default configuration, that with BLOCK_M 64, and the default one of another shape.
  std::filesystem::path measure_three_points() {
    const auto explorer = start("present");
    EXPECT_TRUE(settle(*explorer));
    explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
    explorer->selection().end_drag();
    EXPECT_TRUE(settle(*explorer));
    Experiment other = explorer->selection().experiment();
    other.shape.Sq = other.shape.Sk = 256;
    explorer->selection().set_experiment(other);
    EXPECT_TRUE(settle(*explorer));
    EXPECT_TRUE(explorer->points().save_session(scratch / "measured.json"));
    return scratch / "measured.json";
  }

  ScratchFolder scratch;
};

TEST_F(RecordedSessionTest, WhatWasMeasuredElsewhereIsReadOnly) {
  const auto file = measure_three_points();
  const std::string before = text_of(file);
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  ASSERT_TRUE(explorer->points().open_session(file));
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{128});
  explorer->selection().end_drag();
  ASSERT_TRUE(settle(*explorer));
  explorer->points().document().flush();
  EXPECT_EQ(text_of(file), before);
  ASSERT_EQ(explorer->points().recorded_sessions().size(), 1U);
  EXPECT_EQ(explorer->points().recorded_sessions()[0].summary, "3 points measured on L4");
  EXPECT_TRUE(explorer->points().document().file().empty());
  EXPECT_FALSE(explorer->points().document().needs_saving());
}

TEST_F(RecordedSessionTest, OnTheMachineThatMeasuredItItIsASession) {
  const auto file = measure_three_points();
  const auto explorer = start("present");
  bool opened = false;
  explorer->points().begin_opening(file, [&] { opened = true; });
  ASSERT_TRUE(wait_for(*explorer, [&] { return opened; })) << "it waits until the worker names the GPUs";
  EXPECT_TRUE(explorer->points().recorded().empty());
  EXPECT_EQ(explorer->points().document().file(), file);
}

TEST_F(RecordedSessionTest, OpensWhereItsPointsAreAndTheDeviceStays) {
  const auto file = measure_three_points();
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  Experiment elsewhere = explorer->selection().experiment();
  elsewhere.kernel = "mma_flash";
  elsewhere.parameters.clear();
  elsewhere.device = "A100";
  explorer->selection().set_experiment(elsewhere);
  ASSERT_TRUE(explorer->points().open_recorded(file));
  EXPECT_EQ(explorer->selection().kernel().name, "flash_scalar");
  EXPECT_EQ(explorer->selection().device().name, "A100");
  EXPECT_EQ(explorer->selection().experiment().shape, explorer->points().recorded()[0]->shape)
      << "most points are of this shape";
  ASSERT_TRUE(explorer->shown().point());
  EXPECT_TRUE(explorer->points().is_recorded(explorer->shown().point()));
  ASSERT_EQ(explorer->notices().list().size(), 1U);
  explorer->notices().press(0);
  EXPECT_EQ(explorer->selection().kernel().name, "mma_flash") << "and back";
}

TEST_F(RecordedSessionTest, SlidersThatAreWhereARecordingHasPointsStay) {
  const auto file = measure_three_points();
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  explorer->selection().drag_parameter("BLOCK_N", std::int64_t{16});
  explorer->selection().end_drag();
  ASSERT_TRUE(settle(*explorer));
  const Experiment before = explorer->selection().experiment();
  const std::size_t points = explorer->points().list().size();
  ASSERT_TRUE(explorer->points().open_recorded(file));
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->selection().experiment(), before);
  EXPECT_EQ(explorer->points().list().size(), points);
  EXPECT_TRUE(explorer->points().is_recorded(explorer->shown().point()));
}

TEST_F(RecordedSessionTest, AClickOnARecordedPointShowsItAndChangesNothing) {
  const auto file = measure_three_points();
  const auto explorer = start();
  ASSERT_TRUE(explorer->points().open_recorded(file));
  ASSERT_TRUE(settle(*explorer));
  const Experiment before = explorer->selection().experiment();
  const std::size_t points = explorer->points().list().size();
  const SharedMeasurement clicked = explorer->points().recorded()[2];
  explorer->shown().show(clicked);
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(explorer->shown().point(), clicked);
  EXPECT_EQ(explorer->shown().point()->latency->kind, LatencyKind::recorded);
  EXPECT_EQ(explorer->selection().experiment(), before);
  EXPECT_EQ(explorer->points().list().size(), points);
  explorer->shown().stop();
  EXPECT_EQ(explorer->shown().point(), explorer->jobs().current_point());
}

TEST_F(RecordedSessionTest, GoingToAPointKeepsTheDeviceAndCanBeUndone) {
  const auto file = measure_three_points();
  const auto explorer = start();
  ASSERT_TRUE(explorer->points().open_recorded(file));
  Experiment elsewhere = explorer->selection().experiment();
  elsewhere.device = "A100";
  explorer->selection().set_experiment(elsewhere);
  ASSERT_TRUE(settle(*explorer));
  explorer->shown().go_to(*explorer->points().recorded()[1]);
  EXPECT_EQ(explorer->selection().experiment().parameters.at("BLOCK_M"), ParameterValue(std::int64_t{64}));
  EXPECT_EQ(explorer->selection().device().name, "A100");
  EXPECT_FALSE(explorer->shown().is_another());
  explorer->selection().undo();
  EXPECT_EQ(explorer->selection().experiment(), elsewhere);
}

TEST_F(RecordedSessionTest, APointOfAnotherDeviceIsShownAndTheDeviceStays) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  Experiment other = explorer->selection().experiment();
  other.device = "A100";
  explorer->selection().set_experiment(other);
  ASSERT_TRUE(settle(*explorer));
  ASSERT_EQ(explorer->points().list().size(), 2U);
  explorer->shown().show(explorer->points().list()[0]);
  EXPECT_EQ(explorer->shown().point(), explorer->points().list()[0]);
  EXPECT_EQ(explorer->selection().device().name, "A100");
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
  EXPECT_FALSE(explorer->shown().is_another()) << "a moved slider shows what comes of it";
}

TEST_F(RecordedSessionTest, ARemovedPointComesBack) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const SharedMeasurement point = explorer->points().list()[0];
  explorer->shown().remove(point);
  EXPECT_TRUE(explorer->points().list().empty());
  EXPECT_EQ(explorer->jobs().current_point(), nullptr);
  ASSERT_EQ(explorer->notices().list().size(), 1U);
  explorer->notices().press(0);
  ASSERT_EQ(explorer->points().list().size(), 1U);
  explorer->selection().changed();
  EXPECT_EQ(explorer->jobs().current_point(), point) << "and is found again";
}

TEST_F(RecordedSessionTest, UndoBringsARemovedPointBackUntilTheSlidersMove) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const SharedMeasurement point = explorer->points().list()[0];
  explorer->shown().remove(point);
  EXPECT_TRUE(explorer->shown().can_restore());
  explorer->shown().restore();
  EXPECT_EQ(explorer->points().list().size(), 1U);
  explorer->notices().press(0);
  EXPECT_EQ(explorer->points().list().size(), 1U) << "the notice's button brings it back once";
  explorer->shown().remove(point);
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
  EXPECT_FALSE(explorer->shown().can_restore());
}

TEST_F(RecordedSessionTest, ARemovedPointDoesNotComeBackIntoAnotherSession) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const SharedMeasurement point = explorer->points().list()[0];
  explorer->shown().remove(point);
  explorer->points().new_session();
  ASSERT_TRUE(settle(*explorer));
  explorer->notices().press(0);
  const std::vector<SharedMeasurement>& points = explorer->points().list();
  EXPECT_EQ(std::find(points.begin(), points.end(), point), points.end());
}

TEST_F(RecordedSessionTest, ARecordedPointIsNotRemoved) {
  const auto file = measure_three_points();
  const auto explorer = start();
  ASSERT_TRUE(explorer->points().open_recorded(file));
  explorer->shown().remove(explorer->points().recorded()[0]);
  EXPECT_EQ(explorer->points().recorded().size(), 3U);
  explorer->points().close_recorded(explorer->points().recorded_sessions()[0].file);
  EXPECT_FALSE(explorer->shown().is_another());
  EXPECT_TRUE(explorer->points().recorded().empty());
}

TEST_F(RecordedSessionTest, WhatWasKeptOfASessionIsFoundUnderAutosavedSessions) {
  std::filesystem::path kept;
  {
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    kept = explorer->points().document().autosave_file();
  }
  const auto explorer = start();
  ASSERT_TRUE(explorer->points().open_session(kept));
  EXPECT_EQ(explorer->points().list().size(), 1U);
  EXPECT_TRUE(explorer->points().document().file().empty()) << "a place of the program's is not a name";
  EXPECT_EQ(explorer->points().document().autosave_file(), kept);
}

TEST_F(RecordedSessionTest, ASessionThatWasSavedInTheProposedFolderIsTheUsersOwn) {
  const std::filesystem::path mine = scratch / "data/sessions/mine.json";
  {
    const auto explorer = start();
    ASSERT_TRUE(settle(*explorer));
    std::filesystem::create_directories(mine.parent_path());
    ASSERT_TRUE(explorer->points().save_session(mine));
  }
  const auto explorer = start();
  ASSERT_TRUE(explorer->points().open_session(mine));
  EXPECT_EQ(explorer->points().document().file(), mine);
  EXPECT_FALSE(explorer->points().document().needs_saving());
  explorer->selection().drag_parameter("BLOCK_M", std::int64_t{64});
  explorer->selection().end_drag();
  ASSERT_TRUE(settle(*explorer));
  EXPECT_EQ(load_session(mine).points.size(), 1U) << "it changed without being saved";
  ASSERT_TRUE(explorer->points().save_session(scratch / "elsewhere.json"));
  EXPECT_EQ(load_session(mine).points.size(), 1U) << "saved under another name it is still there";
}

TEST_F(RecordedSessionTest, NothingIsSavedAmongAutosavesWhichAreRemoved) {
  const auto explorer = start();
  ASSERT_TRUE(settle(*explorer));
  const auto folder = explorer->points().autosave_folder();
  EXPECT_FALSE(explorer->points().save_session(folder / "mine.json"));
  EXPECT_EQ(explorer->notices().errors().size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(folder / "mine.json"));
}

TEST(LandingPoint, IsTheFastestOfTheKernelAndShapeWithMostPoints) {
  const auto point = [](const char* kernel, std::int64_t size, double p50_us) {
    Measurement measurement;
    measurement.kernel = kernel;
    measurement.shape.Sq = measurement.shape.Sk = size;
    if (p50_us > 0) measurement.latency.emplace().p50_us = p50_us;
    return std::make_shared<const Measurement>(measurement);
  };
  const std::vector<SharedMeasurement> points = {point("a", 512, 9), point("b", 512, 5), point("a", 512, 7),
                                                 point("a", 256, 1), point("a", 512, 0), point("b", 256, 0)};
  EXPECT_EQ(landing_point(points), points[2]);
  EXPECT_EQ(landing_point({points[4], points[5]}), points[5]);
  Measurement tunable = *points[1];
  tunable.parameters["BLOCK_M"] = std::int64_t{64};
  const std::vector<SharedMeasurement> mixed = {points[0], points[2],
                                                std::make_shared<const Measurement>(tunable)};
  EXPECT_EQ(landing_point(mixed), mixed[2]) << "a library baseline has no sliders";
  EXPECT_EQ(landing_point({}), nullptr);
}

}  // namespace
}  // namespace tilescope
