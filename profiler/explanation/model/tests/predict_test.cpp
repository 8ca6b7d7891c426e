#include "profiler/explanation/model/predict.hpp"

#include <gtest/gtest.h>

#include "profiler/explanation/model/tests/made_up_kernel.hpp"

namespace tilescope::model {
namespace {

using test_support::datasheet_device;
using test_support::instruction;
using test_support::kernel_of;

ExecutedLaunch launch() {
  ExecutedLaunch launch;
  launch.kernel =
      kernel_of({std::vector<ExecutedInstruction>(20'000, instruction("FFMA R0, R0, R1, R2", 4))}, {0}, 4);
  launch.plan.grid_x = 100;
  return launch;
}

TEST(Predict, TheRooflineIsTheLargerOfBothTimes) {
  EXPECT_NEAR(*roofline_us({120e6, 0}, datasheet_device()), 1, 1e-9);
  EXPECT_NEAR(*roofline_us({120e6, 3e6}, datasheet_device()), 10, 1e-9);
  DeviceModel unknown = datasheet_device();
  unknown.fp16_tflops = 0;
  EXPECT_FALSE(roofline_us({120e6, 3e6}, unknown));
}

TEST(Predict, ThePartsAddUpInsideTheBand) {
  const Prediction prediction = predict(launch(), {1e6, 1e6}, datasheet_device(), "abc").prediction;
  double sum = 0;
  for (const PredictionPart& part : prediction.parts) sum += part.microseconds;
  EXPECT_NEAR(sum, prediction.p50_us, 1e-9 * sum);
  EXPECT_LT(prediction.low_us, prediction.p50_us);
  EXPECT_GT(prediction.high_us, prediction.p50_us);
  EXPECT_EQ(prediction.model, model_name);
  EXPECT_EQ(prediction.table_sha256, "abc");
}

TEST(Predict, AFittedDeviceHasANarrowerBand) {
  DeviceModel fitted = datasheet_device();
  fitted.fitted[fitted_error] = {0.1, "1", 0, "fitted: a session"};
  fitted.fitted[fitted_least_us] = {0.1, "us", 0, "fitted: a session"};
  fitted.fitted[fitted_most_us] = {500, "us", 0, "fitted: a session"};
  const PredictedPoint inside = predict(launch(), {1e6, 1e6}, fitted, "");
  EXPECT_NEAR(inside.prediction.low_us, inside.prediction.p50_us / 1.1, 1e-9);
  EXPECT_NEAR(inside.prediction.high_us, inside.prediction.p50_us / 0.9, 1e-9);
  EXPECT_TRUE(inside.notes.empty());
  fitted.fitted[fitted_least_us].value = 150;
  const PredictedPoint outside = predict(launch(), {1e6, 1e6}, fitted, "");
  EXPECT_NEAR(outside.prediction.low_us, outside.prediction.p50_us / 1.15, 1e-9);
  ASSERT_EQ(outside.notes.size(), 1u);
  EXPECT_NE(outside.notes[0].find("outside of the 150 to 500 us"), std::string::npos) << outside.notes[0];
}

TEST(Predict, APowerCapWidensTheBand) {
  DeviceModel capped = datasheet_device();
  capped.power_capped_clock_mhz = 1200;
  capped.power_capped_clock_min_mhz = 900;
  const Prediction plain = predict(launch(), {1e6, 1e6}, datasheet_device(), "").prediction;
  const Prediction wide = predict(launch(), {1e6, 1e6}, capped, "").prediction;
  EXPECT_NEAR(wide.low_us, plain.low_us, 1e-9);
  EXPECT_GT(wide.high_us, 1.8 * plain.high_us);
}

TEST(Predict, MoreSmsAreFaster) {
  DeviceModel large = datasheet_device();
  large.sm_count = 128;
  EXPECT_LT(predict(launch(), {}, large, "").prediction.p50_us,
            0.7 * predict(launch(), {}, datasheet_device(), "").prediction.p50_us);
}

}  // namespace
}  // namespace tilescope::model
