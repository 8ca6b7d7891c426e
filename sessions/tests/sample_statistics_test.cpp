#include "sessions/sample_statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

namespace tilescope {
namespace {

TEST(Percentile, InterpolatesBetweenTheTwoNearestSamples) {
  const std::vector<double> samples{10, 20, 30, 40};
  EXPECT_DOUBLE_EQ(percentile_of_sorted(samples, 0.0), 10);
  EXPECT_DOUBLE_EQ(percentile_of_sorted(samples, 0.10), 13);  // position 0.3
  EXPECT_DOUBLE_EQ(percentile_of_sorted(samples, 0.25), 17.5);
  EXPECT_DOUBLE_EQ(percentile_of_sorted(samples, 0.50), 25);
  EXPECT_DOUBLE_EQ(percentile_of_sorted(samples, 0.90), 37);  // position 2.7
  EXPECT_DOUBLE_EQ(percentile_of_sorted(samples, 1.0), 40);
  const std::vector<double> one{7};
  EXPECT_DOUBLE_EQ(percentile_of_sorted(one, 0.9), 7);
}

TEST(Percentile, OfAnyOrderIsThatOfTheSortedSamples) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> ties(0, 20);
  for (const std::size_t count : {1u, 2u, 3u, 10u, 101u}) {
    std::vector<double> samples(count);
    for (double& sample : samples) sample = 1.1 * ties(generator);
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    for (const double q : {0.0, 0.1, 0.25, 0.5, 0.75, 0.99, 1.0})
      EXPECT_EQ(percentile_of(samples, q), percentile_of_sorted(sorted, q)) << count << " samples, " << q;
  }
}

TEST(Percentile, RefusesWhatHasNone) {
  const std::vector<double> unsorted{2, 1}, one{1}, none;
  std::vector<double> any{2, 1}, empty;
  EXPECT_THROW(percentile_of(empty, 0.5), std::invalid_argument);
  EXPECT_THROW(percentile_of(any, -0.01), std::invalid_argument);
  EXPECT_THROW(percentile_of_sorted(none, 0.5), std::invalid_argument);
  EXPECT_THROW(percentile_of_sorted(unsorted, 0.5), std::invalid_argument);
  EXPECT_THROW(percentile_of_sorted(one, 1.01), std::invalid_argument);
  EXPECT_THROW(percentile_of_sorted(one, std::nan("")), std::invalid_argument);
}

TEST(Statistics, AreThoseOfTheSamplesInAnyOrder) {
  const SampleStatistics statistics = statistics_of({4, 2, 9, 4, 5, 4, 5, 7});
  EXPECT_EQ(statistics.count, 8);
  EXPECT_DOUBLE_EQ(statistics.mean_us, 5);
  EXPECT_DOUBLE_EQ(statistics.stddev_us, std::sqrt(32.0 / 7.0));
  EXPECT_DOUBLE_EQ(statistics.min_us, 2);
  EXPECT_DOUBLE_EQ(statistics.p10_us, 3.4);
  EXPECT_DOUBLE_EQ(statistics.q1_us, 4);
  EXPECT_DOUBLE_EQ(statistics.p50_us, 4.5);
  EXPECT_DOUBLE_EQ(statistics.q3_us, 5.5);
  EXPECT_DOUBLE_EQ(statistics.p90_us, 7.6);
  EXPECT_DOUBLE_EQ(statistics.max_us, 9);
}

TEST(Statistics, RefuseWhatIsNoLatency) {
  EXPECT_THROW(statistics_of({}), std::invalid_argument);
  EXPECT_THROW(statistics_of({1, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(statistics_of({1, std::numeric_limits<double>::infinity()}), std::invalid_argument);
}

TEST(RunningMoments, MatchTheTwoPassFormulaWithoutCancellation) {
  std::mt19937 generator(1);
  std::normal_distribution<double> noise(0.0, 1e-3);
  std::vector<double> values;
  RunningMoments moments;
  for (int i = 0; i < 5000; ++i) {
    values.push_back(1e6 + noise(generator));
    moments.add(values.back());
  }
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double stddev = std::sqrt(squares / static_cast<double>(values.size() - 1));
  EXPECT_NEAR(moments.stddev(), stddev, 1e-3 * stddev);
  EXPECT_NEAR(moments.mean(), mean, 1e-6);
}

TEST(RunningMoments, NeverLookConvergedWithTooFewValues) {
  RunningMoments moments;
  EXPECT_TRUE(std::isinf(moments.relative_stddev()));
  moments.add(5);
  EXPECT_TRUE(std::isinf(moments.relative_stddev()));
  moments.add(5);
  EXPECT_EQ(moments.relative_stddev(), 0.0);
}

}  // namespace
}  // namespace tilescope
