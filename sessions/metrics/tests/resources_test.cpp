#include <gtest/gtest.h>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

TEST(ResourceMetrics, AreWhatTheCompilerSays) {
  const Measurement point = sample::full_measurement();
  EXPECT_EQ(metric_of("registers").value(point), 72);
  EXPECT_EQ(metric_of("shared_memory").value(point), 16 + 57376);
  EXPECT_EQ(metric_of("spills").value(point), 8);
}

TEST(ResourceMetrics, SpillsAreBad) {
  Measurement point = sample::full_measurement();
  EXPECT_EQ(metric_of("spills").tone(point), Tone::bad);
  point.resources->spill_bytes = 0;
  EXPECT_EQ(metric_of("spills").tone(point), Tone::plain);
}

}  // namespace
}  // namespace tilescope
