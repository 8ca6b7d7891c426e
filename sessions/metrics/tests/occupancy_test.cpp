#include <gtest/gtest.h>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

TEST(OccupancyMetrics, AreAShareAndAResource) {
  const Measurement point = sample::full_measurement();
  EXPECT_NEAR(metric_of("occupancy").value(point).value(), 100.0 / 3, 1e-9);
  EXPECT_FALSE(metric_of("occupancy").smaller_is_better);
  EXPECT_EQ(metric_of("limiter").text(point), "shared memory and registers");
}

}  // namespace
}  // namespace tilescope
