#include "sessions/verdict/verdict_on_points.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

Latency timed(double p50_us) {
  SampleStatistics series;
  series.count = 100;
  series.min_us = p50_us * 0.99;
  series.q1_us = p50_us * 0.995;
  series.p50_us = p50_us;
  series.q3_us = p50_us * 1.01;
  series.sm_clock_mhz = 1000;
  series.launches_per_sample = 100;
  Latency latency;
  latency.p50_us = p50_us;
  latency.l2_warm = series;
  return latency;
}

Measurement predicted(double p50_us, const std::string& code) {
  Measurement point;
  point.kernel = "k";
  point.resources = Resources{64, 0, 1024, 0, 0, code};
  point.prediction = Prediction{p50_us, p50_us * 0.5, p50_us * 2, {}, "", "", {}};
  point.prediction->ratio_error = RatioError{0.1, 0.3};
  return point;
}

TEST(VerdictOnPoints, OfLatenciesIsThatOfTheirSamples) {
  EXPECT_EQ(verdict_on(timed(100), timed(105)), Verdict::slower);
  EXPECT_EQ(verdict_on(timed(105), timed(100)), Verdict::faster);
  EXPECT_EQ(verdict_on(timed(100), timed(101.9)), Verdict::undecided) << "101 and 100.881 meet";
  EXPECT_EQ(verdict_on(timed(100), timed(100.5)), Verdict::same) << "the quartiles say 1.1 %";
}

TEST(VerdictOnPoints, OfLatenciesWithoutSamplesOrAClockIsOpen) {
  Latency bare = timed(500);
  bare.l2_warm.reset();
  EXPECT_EQ(verdict_on(timed(100), bare), Verdict::undecided);
  Latency without_clock = timed(500);
  without_clock.l2_warm->sm_clock_mhz = 0;
  EXPECT_EQ(verdict_on(timed(100), without_clock), Verdict::undecided);
}

TEST(VerdictOnPoints, OfColdSeriesLeavesTheWarmOnesAside) {
  Latency a = timed(100), b = timed(50);
  a.l2_cold = timed(200).l2_warm;
  b.l2_cold = timed(300).l2_warm;
  EXPECT_EQ(verdict_on_cold(a, b), Verdict::slower);
}

TEST(VerdictOnPoints, OfPredictionsIsThatOfTheIntervalOfTheirRatio) {
  EXPECT_EQ(verdict_on_predictions(predicted(100, "1"), predicted(109, "2")), Verdict::undecided);
  EXPECT_EQ(verdict_on_predictions(predicted(100, "1"), predicted(112, "2")), Verdict::slower)
      << "ln(1.12) is 0.113";
  Measurement other = predicted(112, "2");
  other.kernel = "other";
  EXPECT_EQ(verdict_on_predictions(predicted(100, "1"), other), Verdict::undecided);
  EXPECT_EQ(verdict_on_predictions(predicted(100, "1"), predicted(112, "1")), Verdict::same);
}

TEST(VerdictOnPoints, OnlyFasterAndSlowerAreDecided) {
  EXPECT_TRUE(is_decided(Verdict::faster));
  EXPECT_TRUE(is_decided(Verdict::slower));
  EXPECT_FALSE(is_decided(Verdict::same));
  EXPECT_FALSE(is_decided(Verdict::undecided));
}

}  // namespace
}  // namespace tilescope
