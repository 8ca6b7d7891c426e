#include <gtest/gtest.h>

#include "profiler/explanation/diagnose/tests/worked_point.hpp"
#include "sessions/trust.hpp"

// Rules on whether a latency can be trusted, and the mark that rankings take from it.
namespace tilescope {
namespace {

Measurement timed_point() {
  Measurement point = test_support::worked_point();
  point.latency.emplace();
  point.latency->p50_us = 30;
  point.latency->samples = 100;
  SampleStatistics& series = point.latency->l2_warm.emplace();
  series.count = 100;
  series.p50_us = 30;
  series.launches_per_sample = 10;
  series.sm_clock_mhz = 1980;
  series.host_us = 360;
  return point;
}

std::vector<Diagnosis> diagnose_timed(const Measurement& point) {
  const KernelDeclaration kernel = test_support::sample_kernel();
  DeviceModel device = test_support::sample_device();
  device.boost_clock_mhz = 1980;
  return diagnose({point, kernel, &device});
}

void expect_only(const Measurement& point, const std::string& kind, const std::string& word) {
  const auto found = diagnose_timed(point);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, kind);
  EXPECT_NE(found[0].evidence, "");
  EXPECT_EQ(distrust_word_of_kind(kind), word);
  Measurement diagnosed = point;
  diagnosed.diagnoses = found;
  EXPECT_EQ(distrust_word(diagnosed), word);
  EXPECT_EQ(distrust_mark(diagnosed), " (" + word + ")");
}

TEST(TrustRules, AGoodSeriesHasNone) {
  EXPECT_TRUE(diagnose_timed(timed_point()).empty());
  EXPECT_EQ(distrust_mark(timed_point()), "");
  EXPECT_EQ(distrust_mark(test_support::worked_point()), "") << "a point that was not timed";
}

TEST(TrustRules, FewSamples) {
  Measurement point = timed_point();
  point.latency->samples = 9;
  expect_only(point, "too_few_samples", "few samples");
  point.latency->samples = 0;
  EXPECT_TRUE(diagnose_timed(point).empty()) << "unknown, as of an imported point";
}

TEST(TrustRules, ACoarseTimer) {
  Measurement point = timed_point();
  point.latency->l2_warm->launches_per_sample = 1;
  point.latency->l2_warm->host_us = 80;
  expect_only(point, "coarse_timer", "coarse timer");
}

TEST(TrustRules, AClockThatDropped) {
  Measurement point = timed_point();
  point.latency->l2_warm->sm_clock_mhz = 1200;
  expect_only(point, "clock_drop", "clock dropped");
  point.latency->l2_warm->sm_clock_mhz = 1600;
  EXPECT_TRUE(diagnose_timed(point).empty());
  point.latency->l2_warm->dropped = 200;
  expect_only(point, "clock_drop", "clock dropped");
}

TEST(TrustRules, ClocksThatDisagree) {
  Measurement point = timed_point();
  point.latency->l2_warm->host_us = 38;
  expect_only(point, "clocks_disagree", "clocks disagree");
  point.latency->l2_warm->host_us = 500000;
  expect_only(point, "clocks_disagree", "clocks disagree");
  point.latency->l2_warm->host_us.reset();
  EXPECT_TRUE(diagnose_timed(point).empty()) << "one clock alone";
}

TEST(TrustRules, AResultThatIsWrongAfterTiming) {
  Measurement point = test_support::worked_point();
  point.status = Status::wrong_result;
  point.reason = "the largest error is 2 at batch 0 (after timing); the tolerance is 0.001";
  const auto found = diagnose_timed(point);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, "wrong_after_timing");
  EXPECT_EQ(found[0].severity, Severity::fault);
  point.reason = "the largest error is 2 at batch 0 (before timing); the tolerance is 0.001";
  EXPECT_EQ(diagnose_timed(point).at(0).kind, "wrong_result");
}

TEST(TrustMarks, TellADeadParameterFromValuesThatCoincide) {
  Measurement point = timed_point();
  point.diagnoses.emplace().push_back({"dead_knob", Severity::hint, {}, "", "", "", "", {}, true});
  EXPECT_EQ(distrust_word(point), "dead parameter");
  point.diagnoses->front().is_major = false;
  EXPECT_EQ(distrust_word(point), "");
  point.diagnoses->front() = {"bank_conflicts", Severity::cost, {}, "", "", "", "", {}, true};
  EXPECT_EQ(distrust_word(point), "") << "slow is not untrustworthy";
}

}  // namespace
}  // namespace tilescope
