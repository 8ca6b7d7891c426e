#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "profiler/measure/tests/service_fixture.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

using Predicted = test_support::ServiceTest;

std::string note_without_prediction(const Measurement& point) {
  for (const std::string& note : point.notes) {
    if (note.starts_with("No prediction: ")) return note;
  }
  return "";
}

double sum_of_parts(const Prediction& prediction) {
  double sum = 0;
  for (const PredictionPart& part : prediction.parts) sum += part.microseconds;
  return sum;
}

TEST_F(Predicted, ATableDeviceHasAPredictedLatency) {
  experiment.device = "L4";
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_TRUE(point.prediction);
  const Prediction& prediction = *point.prediction;
  EXPECT_NEAR(sum_of_parts(prediction), prediction.p50_us, 1e-9 * prediction.p50_us);
  EXPECT_LT(prediction.low_us, prediction.p50_us);
  EXPECT_GT(prediction.high_us, prediction.p50_us);
  ASSERT_TRUE(prediction.roofline_us);
  EXPECT_LT(*prediction.roofline_us, prediction.p50_us);
  EXPECT_EQ(prediction.table_sha256.size(), 64u);
  EXPECT_EQ(note_without_prediction(point), "");
}

TEST_F(Predicted, IsTheSameInATraceAndEveryTime) {
  experiment.device = "L4";
  const Measurement once = measure(), again = measure();
  ASSERT_TRUE(once.prediction && again.prediction);
  EXPECT_EQ(once.prediction, again.prediction);
  const Measurement traced = trace({});
  EXPECT_EQ(traced.prediction, once.prediction);
}

// The first points of each rung at B1 H8 S512 D64 of the recorded ones, within a quarter of what an H200 measured: wider than
// the errors of profiler/explanation/model/README.md, so that only a broken model fails.
TEST_F(Predicted, IsNearWhatAnH200Measured) {
  const Session session =
      load_session(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "sessions/examples/model_h200.json");
  std::set<std::string> seen;
  for (const auto& recorded : session.points) {
    if (!seen.insert(recorded->kernel).second) continue;
    experiment = experiment_of(*recorded);
    experiment.device = "H200";
    const Measurement point = measure();
    ASSERT_TRUE(point.prediction) << recorded->kernel << ": " << note_without_prediction(point);
    EXPECT_EQ(point.resources->sass_sha256, recorded->resources->sass_sha256) << recorded->kernel;
    EXPECT_NEAR(point.prediction->p50_us / recorded->latency->p50_us, 1, 0.25) << recorded->kernel;
  }
  EXPECT_EQ(seen.size(), 7u);
}

TEST_F(Predicted, ConflictsTakeTheirPart) {
  experiment.device = "L4";
  const auto conflicts = [&] {
    const Measurement point = measure();
    for (const PredictionPart& part : point.prediction->parts) {
      if (part.name == "bank conflicts") return part.microseconds / point.prediction->p50_us;
    }
    return -1.0;
  };
  experiment.parameters = {{"SMEM_LAYOUT", std::string("xor_swizzle")}};
  EXPECT_LT(conflicts(), 0.01);
  experiment.parameters = {{"SMEM_LAYOUT", std::string("row_major")}};
  EXPECT_GT(conflicts(), 0.2);
}

TEST_F(Predicted, ASampleOfBlocksPredictsWhatTheWholeGridDoes) {
  experiment.device = "L4";
  const Measurement sampled = measure();
  experiment.blocks = {BlockChoice::Kind::all, 0};
  const Measurement whole = measure();
  ASSERT_TRUE(sampled.prediction && whole.prediction);
  EXPECT_NEAR(sampled.prediction->p50_us / whole.prediction->p50_us, 1, 0.03);
}

TEST_F(Predicted, PtxAloneHasNone) {
  experiment.device = "L4";
  const test_support::WithoutNvdisasm without(installation, scratch);
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_FALSE(point.prediction);
  EXPECT_NE(note_without_prediction(point).find("machine code"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
