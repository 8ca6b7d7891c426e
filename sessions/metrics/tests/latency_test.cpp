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

TEST(LatencyMetrics, TheirIntervalsAreInTheirOwnUnit) {
  Measurement point = sample::full_measurement();
  point.latency->p10_us = 8;
  point.latency->p50_us = 10;
  point.latency->p90_us = 20;
  point.latency->tflops = 4;
  EXPECT_EQ(metric_of("p50").interval(point), std::pair(8.0, 20.0));
  EXPECT_EQ(metric_of("tflops").interval(point), std::pair(2.0, 5.0));
  EXPECT_EQ(metric_of("spread").interval, nullptr);
}

}  // namespace
}  // namespace tilescope
