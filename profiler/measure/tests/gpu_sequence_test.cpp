#include "base/json.hpp"
#include "profiler/measure/tests/fake_gpu.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilescope {
namespace {

using test_support::FakeGpu;

class GpuSequence : public ::testing::Test {
 protected:
  GpuSequence() {
    Shape& shape = kernel.experiment.shape;
    shape.Hq = shape.Hkv = 2;
    shape.Sq = shape.Sk = 16;
    kernel.experiment.seed = 1;
    problem = ReferenceCache().get(attention_sizes(shape), 1, [] { return false; });
    kernel.occupancy.emplace().blocks_per_sm = 3;
  }
  void measure() {
    gpu.problem = problem;
    control.send = [this](const Json& part) { parts.push_back(part.get<PartialPoint>()); };
    PointStages stages(control, wants_stages);
    measure_on_gpu(gpu, kernel, {0.1}, control, stages, point);
  }
  std::vector<std::string> stages_sent() const {
    std::vector<std::string> names;
    names.reserve(parts.size());
    for (const PartialPoint& part : parts) names.push_back(to_string(part.stage));
    return names;
  }

  FakeGpu gpu;
  Prepared kernel;
  std::shared_ptr<const CheckedProblem> problem;
  bool cancelled = false;
  bool wants_stages = false;
  std::vector<PartialPoint> parts;
  MeasureControl control{[](RequestProgress) {}, [this] { return cancelled; }};
  Timed point;
};

TEST_F(GpuSequence, ChecksTimesAndChecksAgain) {
  measure();
  EXPECT_EQ(point.status, Status::ok);
  ASSERT_TRUE(point.latency && point.error);
  EXPECT_EQ(point.error->checked_by, "gpu");
  EXPECT_LE(point.error->max_abs, point.error->tolerance);
  EXPECT_DOUBLE_EQ(point.latency->tflops, 4.0 * 2 * 16 * 16 * 64 / 100e-6 * 1e-12);
  EXPECT_TRUE(point.notes.empty());
  EXPECT_EQ(point.error->rows_checked, 32);
  EXPECT_EQ(point.error->rows_total, 32);
  const std::vector<std::string> expected{"load",         "occupancy", "upload", "poison", "launch",
                                          "check sample", "check",     "poison", "time",   "check"};
  EXPECT_EQ(gpu.steps, expected);
  EXPECT_TRUE(parts.empty());
}

TEST_F(GpuSequence, StagesShowAProvisionalLatencyAndThenTheSeriesAsTheyEnd) {
  wants_stages = true;
  measure();
  const std::vector<std::string> expected{"load",   "occupancy",    "upload",      "poison",
                                          "launch", "check sample", "provisional", "check",
                                          "poison", "time",         "check"};
  EXPECT_EQ(gpu.steps, expected);
  const std::vector<std::string> sent{"checked", "timed", "timed", "timed"};
  ASSERT_EQ(stages_sent(), sent);
  EXPECT_EQ(parts[0].so_far.error->rows_checked, 2);
  EXPECT_FALSE(parts[0].so_far.latency);
  EXPECT_EQ(parts[1].so_far.latency->p50_us, 110);
  EXPECT_GT(parts[1].so_far.latency->tflops, 0);
  EXPECT_FALSE(parts[1].is_clock_rising);
  EXPECT_TRUE(parts[1].is_latency_provisional);
  EXPECT_FALSE(parts[2].is_latency_provisional || parts[3].is_latency_provisional);
  EXPECT_EQ(parts[2].so_far.latency->p50_us, 100);
  EXPECT_TRUE(parts[2].so_far.latency->l2_warm && !parts[2].so_far.latency->l2_cold);
  EXPECT_TRUE(parts[3].so_far.latency->l2_cold);
  EXPECT_EQ(parts[3].so_far.error->rows_checked, 32);
}

TEST_F(GpuSequence, TheAnswerIsTheSameWithStages) {
  measure();
  const Timed without = point;
  gpu = FakeGpu();
  point = Timed{};
  wants_stages = true;
  measure();
  EXPECT_EQ(point, without);
}

TEST_F(GpuSequence, WrongSampledRowsAreNeverTimed) {
  wants_stages = true;
  gpu.wrong_from_launch = 1;
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_EQ(gpu.steps.back(), "check") << "all rows decide";
  EXPECT_EQ(gpu.step_count("provisional") + gpu.step_count("time"), 0);
  EXPECT_TRUE(parts.empty());
}

// A result whose error is within the tolerance of all rows, but beyond the tolerance of a few rows.
TEST_F(GpuSequence, WhatIsWrongByTheSamplesToleranceAloneIsMeasuredWithoutAProvisionalLatency) {
  wants_stages = true;
  gpu.sample_tolerance = 0;
  measure();
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_TRUE(point.latency);
  EXPECT_EQ(point.error->rows_checked, 32);
  EXPECT_EQ(gpu.step_count("provisional"), 0);
}

TEST_F(GpuSequence, WrongRowsBesideTheSampleEndThePointBeforeItIsTimed) {
  wants_stages = true;
  gpu.wrong_from_launch = 1;
  gpu.wrong_element = 64 * 4 + 3;  // rows 4 and 9
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_FALSE(point.latency);
  EXPECT_NE(point.reason.find("before timing"), std::string::npos) << point.reason;
  const std::vector<std::string> sent{"checked", "timed"};
  EXPECT_EQ(stages_sent(), sent);
  EXPECT_EQ(gpu.steps.back(), "check");
}

TEST_F(GpuSequence, ARaceThatShowsInTheFirstLaunchesAloneIsAWrongResult) {
  wants_stages = true;
  gpu.wrong_from_launch = 2;
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_NE(point.reason.find("before timing"), std::string::npos) << point.reason;
}

TEST_F(GpuSequence, ARisingClockIsSaidOfTheProvisionalLatencyAlone) {
  wants_stages = true;
  gpu.is_clock_rising = true;
  measure();
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_TRUE(parts[1].is_clock_rising);
  EXPECT_FALSE(parts[2].is_clock_rising);
}

TEST_F(GpuSequence, ACancelBetweenAnyTwoStepsEndsThePoint) {
  wants_stages = true;
  for (const char* last : {"check sample", "provisional", "check", "time"}) {
    gpu = FakeGpu();
    point = Timed{};
    parts.clear();
    cancelled = false;
    gpu.on_step = [&](const std::string& step) { cancelled = cancelled || step == last; };
    measure();
    EXPECT_EQ(point.status, Status::cancelled) << last;
    EXPECT_NE(point.reason, "") << last;
    EXPECT_FALSE(point.latency) << last;
    EXPECT_EQ(gpu.steps.back(), last);
  }
}

TEST_F(GpuSequence, ACancelWhileTheReferenceIsComputedEndsThePoint) {
  for (const int check : {1, 2, 3}) {
    gpu = FakeGpu();
    point = Timed{};
    gpu.cancelled_in_check = check;
    measure();
    EXPECT_EQ(point.status, Status::cancelled) << check;
    EXPECT_NE(point.reason.find("reference"), std::string::npos) << point.reason;
    EXPECT_FALSE(point.latency) << check;
  }
}

TEST_F(GpuSequence, OneFlippedIndexIsAWrongResultAndIsNotTimed) {
  gpu.wrong_from_launch = 1;
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_FALSE(point.latency);
  EXPECT_NE(point.reason.find("before timing"), std::string::npos) << point.reason;
  EXPECT_NE(point.reason.find("column 3"), std::string::npos) << point.reason;
}

TEST_F(GpuSequence, ARaceThatShowsOnlyWhileTimingIsAWrongResult) {
  gpu.wrong_from_launch = 2;
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_FALSE(point.latency);
  EXPECT_NE(point.reason.find("after timing"), std::string::npos) << point.reason;
}

TEST_F(GpuSequence, RowsThatNobodyWroteAreNan) {
  gpu.leaves_rows_unwritten = true;
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_NE(
      point.reason.find("1 of 32 rows of the output were not written, the first at batch 0, head 0, query 0"),
      std::string::npos)
      << point.reason;
  EXPECT_NE(point.reason.find("NaN"), std::string::npos) << point.reason;
}

TEST_F(GpuSequence, UnwrittenRowsThatTheReferenceDoesNotHaveAreFound) {
  const std::shared_ptr<const CheckedProblem> whole = problem;
  auto few = std::make_shared<CheckedProblem>(*problem);
  few->reference.rows = {3, 17};
  few->reference.output.resize(2 * 64);
  for (std::size_t i = 0; i < 64; ++i) {
    few->reference.output[i] = whole->reference.output[3 * 64 + i];
    few->reference.output[64 + i] = whole->reference.output[17 * 64 + i];
  }
  problem = few;
  gpu.answer = &whole->reference;
  measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  gpu.leaves_rows_unwritten = true;  // row 0
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_NE(point.reason.find("1 of 32 rows"), std::string::npos) << point.reason;
  EXPECT_NE(point.reason.find("before timing"), std::string::npos) << point.reason;
}

TEST_F(GpuSequence, ANanThatTheKernelComputesIsNotCalledUnwritten) {
  gpu.computes_nan = true;
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_NE(point.reason.find("the result is NaN"), std::string::npos) << point.reason;
  EXPECT_EQ(point.reason.find("not written"), std::string::npos) << point.reason;
}

TEST_F(GpuSequence, DisagreementOnOccupancyIsNoted) {
  kernel.occupancy->blocks_per_sm = 5;
  measure();
  ASSERT_EQ(point.notes.size(), 1u);
  EXPECT_NE(point.notes[0].find("driver allows 3"), std::string::npos);
}

TEST_F(GpuSequence, ACancelLeavesNoLatency) {
  cancelled = true;
  measure();
  EXPECT_EQ(point.status, Status::cancelled);
  EXPECT_FALSE(point.latency);
}

TEST_F(GpuSequence, AFailureOfAnyStepReachesTheCaller) {
  wants_stages = true;
  for (const char* step :
       {"load", "occupancy", "upload", "poison", "launch", "check sample", "provisional", "check", "time"}) {
    gpu = FakeGpu();
    gpu.fail_at = step;
    EXPECT_THROW(measure(), std::runtime_error) << step;
  }
}

}  // namespace
}  // namespace tilescope
