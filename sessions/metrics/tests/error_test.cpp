#include <gtest/gtest.h>

#include <cmath>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

TEST(MaxError, IsGoodWithinItsToleranceAlone) {
  Measurement point = sample::full_measurement();
  const Metric& metric = metric_of("max_error");
  EXPECT_EQ(metric.value(point), 1.5e-4);
  EXPECT_EQ(metric.tone(point), Tone::good);
  point.error->max_abs = 2e-3;
  EXPECT_EQ(metric.tone(point), Tone::bad);
  point.error->max_abs = std::nan("");
  EXPECT_EQ(metric.tone(point), Tone::bad);
  EXPECT_TRUE(metric.value(point).has_value()) << "an error that is not a number is one";
}

}  // namespace
}  // namespace tilescope
