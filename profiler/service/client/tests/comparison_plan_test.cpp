#include "profiler/service/client/comparison_plan.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Experiment experiment(const std::string& kernel) {
  Experiment experiment;
  experiment.kernel = kernel;
  return experiment;
}

TEST(ComparisonPlan, TwoLiveSidesRunInTurnsInOneRequest) {
  const ComparisonPlan plan = plan_comparison({PlannedSide{experiment("a")}, {experiment("b"), true}});
  ASSERT_TRUE(plan.both);
  ASSERT_EQ(plan.both->experiments.size(), 2U);
  EXPECT_EQ(plan.both->experiments[0].kernel, "a");
  EXPECT_EQ(plan.both->experiments[1].kernel, "b");
  EXPECT_FALSE(plan.alone[0] || plan.alone[1]);
}

TEST(ComparisonPlan, WithoutTurnsEachLiveSideIsMeasuredUnlessItIsKnown) {
  const ComparisonPlan plan = plan_comparison({PlannedSide{experiment("a"), true}, {experiment("b")}}, false);
  EXPECT_FALSE(plan.both);
  EXPECT_FALSE(plan.alone[0]);
  ASSERT_TRUE(plan.alone[1]);
  EXPECT_EQ(plan.alone[1]->experiment.kernel, "b");
}

TEST(ComparisonPlan, BesideARecordedPointTheOtherSideIsMeasuredAlone) {
  const ComparisonPlan plan = plan_comparison({PlannedSide{experiment("a")}, {}});
  EXPECT_FALSE(plan.both);
  ASSERT_TRUE(plan.alone[0]);
  EXPECT_FALSE(plan.alone[1]);
}

TEST(ComparisonPlan, AnAnswerThatFailedIsTwoFailedPoints) {
  Compare::Answer answer;
  answer.status = Status::worker_lost;
  answer.reason = "it died";
  Compare::Params asked;
  asked.experiments = {experiment("a"), experiment("b")};
  const auto points = compared_points(answer, asked);
  EXPECT_EQ(points[0].kernel, "a");
  EXPECT_EQ(points[1].kernel, "b");
  for (const Measurement& point : points) {
    EXPECT_EQ(point.status, Status::worker_lost);
    EXPECT_EQ(point.reason, "it died");
  }
}

}  // namespace
}  // namespace tilescope
