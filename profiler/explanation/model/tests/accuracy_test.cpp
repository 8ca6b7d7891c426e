#include "profiler/explanation/model/bench/accuracy.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tilescope::model {
namespace {

JudgedPoint point(double measured, double predicted, const std::string& shape = "a") {
  JudgedPoint point;
  point.kernel = "kernel";
  point.shape = shape;
  point.measured = measured;
  point.predicted = predicted;
  point.low = 0.9 * predicted;
  point.high = 1.1 * predicted;
  return point;
}

TEST(Accuracy, RankCorrelation) {
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 400}), 1, 1e-12);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1, 1e-12);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8, 1e-12);
  EXPECT_NEAR(rank_correlation({1, 1, 2}, {1, 2, 3}), 0.8660254, 1e-6) << "ties share a rank";
}

TEST(Accuracy, ErrorsAndBand) {
  std::vector<JudgedPoint> points;
  points.reserve(11);
  for (int i = 0; i < 10; ++i) points.push_back(point(100, 100 + i));
  points.push_back(point(100, 200));
  const ErrorSummary errors = summarise(points, &JudgedPoint::predicted);
  EXPECT_NEAR(errors.mean, (0.45 + 1) / 11, 1e-12);
  EXPECT_NEAR(errors.p90, 0.09, 1e-12);
  EXPECT_NEAR(share_inside(points), 10.0 / 11, 1e-12);
}

TEST(Accuracy, RatiosAreComparedWithinAShape) {
  const RatioSummary of_one =
      summarise_ratios({point(10, 10), point(10, 20), point(10, 1000, "b")}, &JudgedPoint::predicted);
  EXPECT_NEAR(of_one.same_kernel, std::log(2), 1e-12);
  EXPECT_EQ(of_one.kernels, 0) << "there is one kernel";
  JudgedPoint other = point(20, 60);
  other.kernel = "other";
  const RatioSummary of_two = summarise_ratios({point(10, 10), other}, &JudgedPoint::predicted);
  EXPECT_NEAR(of_two.kernels, std::log(3), 1e-12) << "measured 2, predicted 6";
}

TEST(Accuracy, RegretIsThatOfTheChosenConfiguration) {
  const RankSummary order =
      rank({point(10, 12), point(11, 11), point(30, 40), point(5, 1, "b"), point(6, 2, "b")});
  EXPECT_NEAR(order.most_regret, 0.1, 1e-12);
  EXPECT_NEAR(order.mean_regret, 0.05, 1e-12);
  EXPECT_NEAR(order.least_correlation, 0.5, 1e-12);
}

}  // namespace
}  // namespace tilescope::model
