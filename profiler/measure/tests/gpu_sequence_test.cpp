#include "profiler/measure/gpu_sequence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace tilescope {
namespace {

// A GPU that computes by copying the reference, fails at a chosen step, or is wrong in a chosen way.
class FakeGpu {
 public:
  std::string fail_at;              // the step that throws
  int wrong_from_launch = 1 << 30;  // launches from this one on flip one index
  bool leaves_rows_unwritten = false;
  bool computes_nan = false;
  bool is_clock_rising = false;
  int cancelled_in_check = 0;  // this check, counted from 1, is cancelled
  int wrong_element = 3;       // in row 0, which the sample has
  std::shared_ptr<const CheckedProblem> problem;
  const reference::AttentionReference* answer = nullptr;  // used when the problem does not have all rows
  std::function<void(const std::string&)> on_step = [](const std::string&) {};
  std::vector<std::string> steps;

  void load(const GpuPlan&) { step("load"); }
  int max_active_blocks(const GpuPlan&) {
    step("occupancy");
    return 3;
  }
  void upload(const GpuProblem& what) {
    step("upload");
    EXPECT_EQ(what.sizes, problem->sizes);
    EXPECT_EQ(what.seed, problem->seed);
    output_.assign(static_cast<std::size_t>(what.sizes.query_elements()), 0);
  }
  void poison() {
    step("poison");
    std::fill(output_.begin(), output_.end(), std::uint16_t{0xffff});
  }
  void launch(const GpuPlan&) {
    step("launch");
    run();
  }
  std::optional<ResultCheck> check(CheckedRows rows, const MeasureControl&) {
    step(rows == CheckedRows::sample ? "check sample" : "check");
    if (step_count("check") + step_count("check sample") == cancelled_in_check) return std::nullopt;
    return check_result(rows == CheckedRows::sample ? sample() : problem->reference, problem->sizes, output_);
  }
  ProvisionalLatency time_provisional(const GpuPlan&, const MeasureControl&) {
    step("provisional");
    run();
    ProvisionalLatency provisional;
    provisional.latency.p50_us = 110;
    provisional.is_clock_rising = is_clock_rising;
    return provisional;
  }
  Latency time(const GpuPlan&, const MeasureControl&, const std::function<void(const Latency&)>& warm) {
    step("time");
    run();
    Latency latency;
    latency.p50_us = 100;
    latency.l2_warm.emplace().p50_us = 100;
    warm(latency);
    latency.l2_cold.emplace().p50_us = 120;
    return latency;
  }

 private:
  void step(const std::string& name) {
    steps.push_back(name);
    on_step(name);
    if (name == fail_at) throw std::runtime_error(name + " failed");
  }
  int step_count(const std::string& name) const {
    return static_cast<int>(std::count(steps.begin(), steps.end(), name));
  }
  // Rows 0 and 17, or all where there are not so many.
  reference::AttentionReference sample() const {
    const reference::AttentionReference& whole = problem->reference;
    if (whole.rows.size() < 18) return whole;
    reference::AttentionReference few = whole;
    few.rows = {0, 17};
    few.output.assign(whole.output.begin(), whole.output.begin() + 64);
    few.output.insert(few.output.end(), whole.output.begin() + 17 * 64, whole.output.begin() + 18 * 64);
    return few;
  }
  void run() {
    const std::size_t skipped = leaves_rows_unwritten ? 64 : 0;
    const reference::AttentionReference& known = answer != nullptr ? *answer : problem->reference;
    for (std::size_t i = skipped; i < output_.size(); ++i) {
      output_[i] = reference::from_float(static_cast<float>(known.output[i]), problem->sizes.format);
    }
    if (computes_nan) output_[3] = 0x7fff;
    const auto place = static_cast<std::size_t>(wrong_element);
    if (++launches_ >= wrong_from_launch) std::swap(output_[place], output_[place + 64 * 5]);
  }

  std::vector<std::uint16_t> output_;
  int launches_ = 0;
};

class GpuSequence : public ::testing::Test {
 protected:
  GpuSequence() {
    shape.Hq = shape.Hkv = 2;
    shape.Sq = shape.Sk = 16;
    problem = ReferenceCache().get(attention_sizes(shape), 1, [] { return false; });
    point.occupancy.emplace().blocks_per_sm = 3;
  }
  void measure() {
    gpu.problem = problem;
    control.send = [this](const Json& part) { parts.push_back(part.get<PartialPoint>()); };
    PointStages stages(control, wants_stages);
    measure_on_gpu(gpu, GpuPlan{kernel, {}, compiled, geometry, shape, {0.1}}, {problem->sizes, problem->seed},
                   control, stages, point);
  }
  std::vector<std::string> stages_sent() const {
    std::vector<std::string> names;
    for (const PartialPoint& part : parts) names.push_back(to_string(part.stage));
    return names;
  }

  FakeGpu gpu;
  Shape shape;
  KernelDeclaration kernel;
  CompiledKernel compiled;
  LaunchGeometry geometry;
  std::shared_ptr<const CheckedProblem> problem;
  bool cancelled = false;
  bool wants_stages = false;
  std::vector<PartialPoint> parts;
  MeasureControl control{[](RequestProgress) {}, [this] { return cancelled; }};
  Measurement point;
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
  EXPECT_EQ(parts[2].so_far.latency->p50_us, 100);
  EXPECT_TRUE(parts[2].so_far.latency->l2_warm && !parts[2].so_far.latency->l2_cold);
  EXPECT_TRUE(parts[3].so_far.latency->l2_cold);
  EXPECT_EQ(parts[3].so_far.error->rows_checked, 32);
}

TEST_F(GpuSequence, TheAnswerIsTheSameWithStages) {
  measure();
  const Measurement without = point;
  gpu = FakeGpu();
  point = Measurement{};
  point.occupancy.emplace().blocks_per_sm = 3;
  wants_stages = true;
  measure();
  EXPECT_EQ(point, without);
}

TEST_F(GpuSequence, WrongSampledRowsAreNeverTimed) {
  wants_stages = true;
  gpu.wrong_from_launch = 1;
  measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_EQ(gpu.steps.back(), "check sample");
  EXPECT_TRUE(parts.empty());
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
    point = Measurement{};
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
    point = Measurement{};
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
  point.occupancy->blocks_per_sm = 5;
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
