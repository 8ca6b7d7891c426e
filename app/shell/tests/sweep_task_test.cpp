#include "app/shell/sweep_task.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Measurement point(Status status) {
  return failed_measurement(Experiment{}, status, "because");
}

TEST(SweepTask, HandsOutEachExperimentOnce) {
  SweepTask task(std::vector<Experiment>(3));
  EXPECT_EQ(task.total(), 3U);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(task.next());
    EXPECT_FALSE(task.finished());
    task.record(point(Status::ok));
  }
  EXPECT_FALSE(task.next());
  EXPECT_TRUE(task.finished());
  EXPECT_DOUBLE_EQ(task.fraction(), 1.0);
  EXPECT_EQ(task.failed(), 0U);
}

TEST(SweepTask, CountsWhatFailedAndGoesOn) {
  SweepTask task(std::vector<Experiment>(2));
  task.next();
  task.record(point(Status::timed_out));
  EXPECT_EQ(task.failed(), 1U);
  EXPECT_TRUE(task.next());
  EXPECT_EQ(task.gave_up(), "");
}

TEST(SweepTask, GivesUpOnAWorkerThatIsLostAgainAndAgain) {
  SweepTask task(std::vector<Experiment>(100));
  int asked = 0;
  while (task.next()) {
    ++asked;
    task.record(point(Status::worker_lost));
  }
  EXPECT_EQ(asked, 5);
  EXPECT_TRUE(task.finished());
  EXPECT_NE(task.gave_up().find("because"), std::string::npos) << task.gave_up();
}

TEST(SweepTask, OneGoodPointForgivesTheLostOnes) {
  SweepTask task(std::vector<Experiment>(100));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(task.next()) << i;
    task.record(point(i % 4 == 3 ? Status::ok : Status::worker_lost));
  }
  EXPECT_EQ(task.gave_up(), "");
}

TEST(SweepTask, ACancelledOneEndsWhenItsPointIsBack) {
  SweepTask task(std::vector<Experiment>(3));
  task.next();
  task.cancel();
  EXPECT_FALSE(task.next());
  EXPECT_FALSE(task.finished());
  task.record(point(Status::cancelled));
  EXPECT_TRUE(task.finished());
}

TEST(SweepTask, ASkippedPointIsDoneAndSaysNothingOfTheTimeThatIsLeft) {
  SweepTask task(std::vector<Experiment>(3));
  task.next();
  task.skip();
  EXPECT_EQ(task.done(), 1U);
  EXPECT_EQ(task.skipped(), 1U);
  EXPECT_FALSE(task.remaining_s());
  for (int i = 0; i < 2; ++i) {
    task.next();
    task.record(point(Status::ok));
  }
  EXPECT_TRUE(task.finished());
}

TEST(SweepTask, KnowsNoRemainingTimeBeforeTheFirstPoint) {
  SweepTask task(std::vector<Experiment>(2));
  EXPECT_FALSE(task.remaining_s());
  task.next();
  task.record(point(Status::ok));
  EXPECT_TRUE(task.remaining_s());
}

}  // namespace
}  // namespace tilescope
