#include <gtest/gtest.h>

#include "sessions/metrics/registry.hpp"
#include "sessions/tests/sample.hpp"

namespace tilescope {
namespace {

TEST(BankConflicts, AreAShareOfTheWavefronts) {
  Measurement point = sample::full_measurement();
  point.memory->shared_wavefronts = 8000;
  point.memory->shared_conflicts = 6000;
  EXPECT_EQ(metric_of("bank_conflicts").value(point), 75);
  point.memory->shared_conflicts = 0;
  EXPECT_EQ(metric_of("bank_conflicts").value(point), 0);
}

TEST(BankConflicts, AreNoneWhereSharedMemoryIsNotUsed) {
  Measurement point = sample::full_measurement();
  point.memory->shared_wavefronts = point.memory->shared_conflicts = 0;
  EXPECT_FALSE(metric_of("bank_conflicts").value(point).has_value());
}

}  // namespace
}  // namespace tilescope
