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

TEST(BankConflicts, AreBadAboveAFifth) {
  Measurement point = sample::full_measurement();
  const auto tone = [&](std::int64_t conflicts) {
    point.memory->shared_wavefronts = 1000;
    point.memory->shared_conflicts = conflicts;
    return metric_of("bank_conflicts").tone(point);
  };
  EXPECT_EQ(tone(0), Tone::good);
  EXPECT_EQ(tone(200), Tone::plain);
  EXPECT_EQ(tone(201), Tone::bad);
}

}  // namespace
}  // namespace tilescope
