#include "profiler/measure/gpu_sequence.hpp"

#include <gtest/gtest.h>

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
  const reference::AttentionReference* answer = nullptr;  // used when the problem does not have all rows
  std::vector<std::string> steps;

  void load(const GpuPlan&) { step("load"); }
  int max_active_blocks(const GpuPlan&) {
    step("occupancy");
    return 3;
  }
  void upload(const CheckedProblem& problem) {
    step("upload");
    problem_ = &problem;
    output_.assign(static_cast<std::size_t>(problem.sizes.query_elements()), 0);
  }
  void poison() {
    step("poison");
    std::fill(output_.begin(), output_.end(), std::uint16_t{0xffff});
  }
  void launch(const GpuPlan&) {
    step("launch");
    run();
  }
  std::vector<std::uint16_t> output() {
    step("output");
    return output_;
  }
  Latency time(const GpuPlan&, const MeasureControl&) {
    step("time");
    run();
    Latency latency;
    latency.p50_us = 100;
    return latency;
  }

 private:
  void step(const std::string& name) {
    steps.push_back(name);
    if (name == fail_at) throw std::runtime_error(name + " failed");
  }
  void run() {
    const std::size_t skipped = leaves_rows_unwritten ? 64 : 0;
    const reference::AttentionReference& known = answer != nullptr ? *answer : problem_->reference;
    for (std::size_t i = skipped; i < output_.size(); ++i) {
      output_[i] = reference::from_float(static_cast<float>(known.output[i]), problem_->sizes.format);
    }
    if (computes_nan) output_[3] = 0x7fff;
    if (++launches_ >= wrong_from_launch) std::swap(output_[3], output_[64 * 5 + 3]);
  }

  const CheckedProblem* problem_ = nullptr;
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
    measure_on_gpu(gpu, GpuPlan{kernel, {}, compiled, geometry, shape, 0.1}, *problem, control, point);
  }

  FakeGpu gpu;
  Shape shape;
  KernelDeclaration kernel;
  CompiledKernel compiled;
  LaunchGeometry geometry;
  std::shared_ptr<const CheckedProblem> problem;
  bool cancelled = false;
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
  const std::vector<std::string> expected{"load",   "occupancy", "upload", "poison", "launch",
                                          "output", "poison",    "time",   "output"};
  EXPECT_EQ(gpu.steps, expected);
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
  for (const char* step : {"load", "occupancy", "upload", "poison", "launch", "output", "time"}) {
    gpu = FakeGpu();
    gpu.fail_at = step;
    EXPECT_THROW(measure(), std::runtime_error) << step;
  }
}

}  // namespace
}  // namespace tilescope
