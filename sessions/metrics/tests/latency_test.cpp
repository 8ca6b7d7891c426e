#include <gtest/gtest.h>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

TEST(LatencyMetrics, ReadTheirSeries) {
  const Measurement point = sample::full_measurement();
  EXPECT_EQ(metric_of("p50").value(point), 30.4);
  EXPECT_EQ(metric_of("cold_p50").value(point), 40.4);
  EXPECT_EQ(metric_of("tflops").value(point), 17.25);
  EXPECT_NEAR(metric_of("spread").value(point).value(), 100 * (30.9 - 30.1) / 30.4, 1e-9);
}

TEST(LatencyMetrics, AreMissingWithoutTheirSeries) {
  Measurement point = sample::full_measurement();
  point.latency->l2_cold.reset();
  EXPECT_FALSE(metric_of("cold_p50").value(point).has_value());
  EXPECT_TRUE(metric_of("p50").value(point).has_value());
}

TEST(LatencyMetrics, ASpreadOverNothingIsNone) {
  Measurement point = sample::full_measurement();
  point.latency->p50_us = 0;
  EXPECT_FALSE(metric_of("spread").value(point).has_value());
}

TEST(LatencyMetrics, APredictionIsNoLatency) {
  Measurement point = sample::full_measurement();
  point.latency.reset();
  ASSERT_TRUE(point.prediction.has_value());
  EXPECT_FALSE(metric_of("p50").value(point).has_value());
}

TEST(LatencyMetrics, SpeedAloneShouldBeLarge) {
  for (const char* tag : {"p50", "cold_p50", "spread"}) EXPECT_TRUE(metric_of(tag).smaller_is_better) << tag;
  EXPECT_FALSE(metric_of("tflops").smaller_is_better);
}

SampleStatistics series_of(double p50_us) {
  SampleStatistics series;
  series.count = 100;
  series.min_us = p50_us * 0.99;
  series.q1_us = p50_us * 0.995;
  series.p50_us = p50_us;
  series.q3_us = p50_us * 1.01;
  series.sm_clock_mhz = 1000;
  series.launches_per_sample = 100;
  return series;
}

Measurement timed(double warm_us, double cold_us) {
  Measurement point = sample::full_measurement();
  point.latency->p50_us = warm_us;
  point.latency->l2_warm = series_of(warm_us);
  point.latency->l2_cold = series_of(cold_us);
  return point;
}

TEST(LatencyMetrics, AreOpenWhereTheSamplesOfTheirSeriesMeet) {
  const Measurement point = timed(100, 200), near = timed(101.5, 210), far = timed(105, 203);
  for (const char* tag : {"p50", "tflops"}) {
    EXPECT_TRUE(metric_of(tag).is_open(point, near)) << tag << ": 101 and 100.485 meet";
    EXPECT_FALSE(metric_of(tag).is_open(point, far)) << tag << ": 101 and 103.95 do not";
  }
  EXPECT_FALSE(metric_of("cold_p50").is_open(point, near)) << "202 and 207.9 do not meet";
  EXPECT_TRUE(metric_of("cold_p50").is_open(point, far)) << "202 and 200.97 meet";
  EXPECT_EQ(metric_of("spread").is_open, nullptr);
}

TEST(LatencyMetrics, AreOpenWithoutSamples) {
  const Measurement point = timed(100, 200);
  Measurement bare = timed(500, 900);
  bare.latency->l2_warm.reset();
  EXPECT_TRUE(metric_of("p50").is_open(point, bare)) << "nothing is known of its noise";
}

}  // namespace
}  // namespace tilescope
