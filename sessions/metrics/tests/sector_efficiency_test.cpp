#include <gtest/gtest.h>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

TEST(SectorEfficiency, IsTheFewestOverTheMovedSectors) {
  Measurement point = sample::full_measurement();
  point.memory->global_sectors = 4000;
  point.memory->global_sectors_minimum = 1000;
  EXPECT_EQ(metric_of("sector_efficiency").value(point), 25);
  point.memory->global_sectors = 1000;
  EXPECT_EQ(metric_of("sector_efficiency").value(point), 100);
  EXPECT_FALSE(metric_of("sector_efficiency").smaller_is_better);
}

TEST(SectorEfficiency, IsNoneWhereNoSectorWasCounted) {
  Measurement point = sample::full_measurement();
  point.memory->global_sectors = point.memory->global_sectors_minimum = 0;
  EXPECT_FALSE(metric_of("sector_efficiency").value(point).has_value());
  point.memory.reset();
  EXPECT_FALSE(metric_of("sector_efficiency").value(point).has_value());
}

}  // namespace
}  // namespace tilescope
