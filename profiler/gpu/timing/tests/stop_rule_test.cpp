#include "profiler/gpu/timing/stop_rule.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tilescope {
namespace {

constexpr double forever = 1e9;  // [s]

StopRuleOptions options() {
  StopRuleOptions made;
  made.default_clock_mhz = 2000;
  return made;
}

TEST(StopRule, WantsTenSamplesEvenWhenTheyAgreeAndTheBudgetIsSpent) {
  StopRuleOptions patient = options();
  patient.time_limit_s = forever;
  StopRule rule(patient);
  for (int i = 0; i < 9; ++i) {
    rule.add(100, 2000);
    EXPECT_FALSE(rule.why_stop(10)) << "after " << i + 1;
  }
  rule.add(100, 2000);
  EXPECT_EQ(rule.why_stop(10), "converged");
}

TEST(StopRule, SpendsItsBudgetEvenWhenTheSamplesAgree) {
  StopRule rule(options());
  for (int i = 0; i < 100; ++i) rule.add(100, 2000);
  EXPECT_FALSE(rule.why_stop(0.49));
  EXPECT_EQ(rule.why_stop(0.5), "converged");
}

TEST(StopRule, GoesOnUntilTheDeviationIsHalfAPercent) {
  StopRule rule(options());
  for (int i = 0; i < 10; ++i) rule.add(i % 2 == 0 ? 100.0 : 101.2, 2000);
  EXPECT_FALSE(rule.why_stop(1.0)) << "0.63%";
  for (int i = 0; i < 10; ++i) rule.add(100.6, 2000);
  EXPECT_EQ(rule.why_stop(1.0), "converged") << "0.43%";
}

TEST(StopRule, StopsWhenTheNoiseItselfIsStable) {
  StopRuleOptions patient = options();
  patient.time_limit_s = forever;
  StopRule rule(patient);
  std::mt19937 generator(7);
  std::normal_distribution<double> latency(100, 7);
  int samples = 0;
  std::optional<std::string> why;
  while (!why && samples < 100'000) {
    rule.add(latency(generator), 2000);
    ++samples;
    why = rule.why_stop(1.0);
  }
  EXPECT_EQ(why, "stable_noise");
  EXPECT_GE(samples, 64);
  EXPECT_LT(samples, 2000);
}

TEST(StopRule, DoesNotTakeDriftingNoiseForStable) {
  StopRuleOptions patient = options();
  patient.time_limit_s = forever;
  StopRule rule(patient);
  double step = 1;
  for (int i = 0; i < 400; ++i) {
    rule.add(100 + (i % 2 == 0 ? step : -step), 2000);
    step *= 1.02;  // The spread grows without bound.
    if (i > 64) {
      EXPECT_FALSE(rule.why_stop(1.0)) << "after " << i;
    }
  }
}

TEST(StopRule, EndsAtTheTimeLimitWithWhatItHas) {
  StopRule rule(options());
  rule.add(900'000, 2000);
  EXPECT_FALSE(rule.why_stop(1.99));
  EXPECT_EQ(rule.why_stop(2.0), "time_limit");
  EXPECT_EQ(rule.statistics().count, 1);
}

TEST(StopRule, DropsSamplesUnderThreeQuartersOfTheDefaultClock) {
  StopRule rule(options());
  for (int i = 0; i < 30; ++i) {
    rule.add(100, 1900);
    if (i % 3 == 0) rule.add(150, 1499);
  }
  rule.add(100, 1500);
  EXPECT_EQ(rule.why_stop(1.0), "converged") << "the slow ones do not count as noise";
  const SampleStatistics statistics = rule.statistics();
  EXPECT_EQ(statistics.count, 31);
  EXPECT_EQ(statistics.dropped, 10);
  EXPECT_DOUBLE_EQ(statistics.max_us, 100);
  EXPECT_DOUBLE_EQ(statistics.sm_clock_mhz, 1900);
  EXPECT_FALSE(rule.runs_below_default_clock());
}

TEST(StopRule, KeepsSamplesWhoseClockIsUnknown) {
  StopRule rule(options());
  for (int i = 0; i < 10; ++i) rule.add(100, 0);
  EXPECT_EQ(rule.statistics().count, 10);
  EXPECT_EQ(rule.statistics().sm_clock_mhz, 0);
  StopRuleOptions unknown = options();
  unknown.default_clock_mhz = 0;
  StopRule any(unknown);
  for (int i = 0; i < 10; ++i) any.add(100, 300);
  EXPECT_EQ(any.statistics().count, 10);
}

TEST(StopRule, TakesThePowerCappedClockForWhatItIs) {
  StopRule rule(options());
  rule.add(80, 1990);  // Before the cap took hold.
  for (int i = 0; i < 19; ++i) rule.add(120, 1100);
  EXPECT_FALSE(rule.runs_below_default_clock());
  EXPECT_EQ(rule.statistics().count, 1);
  rule.add(120, 1100);
  EXPECT_TRUE(rule.runs_below_default_clock());
  const SampleStatistics statistics = rule.statistics();
  EXPECT_EQ(statistics.count, 21);
  EXPECT_EQ(statistics.dropped, 0);
  EXPECT_DOUBLE_EQ(statistics.sm_clock_mhz, 1100);
}

TEST(StopRule, ShowsDroppedSamplesRatherThanNoneAtTheTimeLimit) {
  StopRule rule(options());
  for (int i = 0; i < 3; ++i) rule.add(700'000, 1000);
  EXPECT_FALSE(rule.why_stop(1.9));
  EXPECT_EQ(rule.why_stop(2.1), "time_limit");
  EXPECT_EQ(rule.statistics().count, 3);
  EXPECT_TRUE(rule.runs_below_default_clock());
}

}  // namespace
}  // namespace tilescope
