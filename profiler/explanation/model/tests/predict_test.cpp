#include "profiler/explanation/model/predict.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

LaunchTime time_with(double dram_bytes, double l2_us, double pipe_us) {
  LaunchTime time;
  time.bounds.dram_bytes = dram_bytes;
  time.bounds.l2_us = l2_us;
  time.bounds.pipe_us = pipe_us;
  time.bounds.pipe = Unit::fma_light;
  return time;
}

TEST(Predict, TheRooflineIsTheLongestTimeAndSaysOfWhat) {
  const auto of = [](const LaunchTime& time, double flops, const DeviceModel& device) {
    return roofline(time, {.flops = flops}, device).value_or(Roofline{});
  };
  EXPECT_NEAR(of(time_with(0, 0, 0), 120e6, datasheet_device()).us, 1, 1e-9);
  EXPECT_EQ(of(time_with(0, 0, 0), 120e6, datasheet_device()).of, "tensor cores");
  EXPECT_NEAR(of(time_with(3e6, 2, 3), 120e6, datasheet_device()).us, 10, 1e-9);
  EXPECT_EQ(of(time_with(3e6, 2, 3), 120e6, datasheet_device()).of, "DRAM");
  EXPECT_EQ(of(time_with(0, 2, 1.5), 120e6, datasheet_device()).of, "L2")
      << "L2 keeps all: DRAM bounds nothing";
  EXPECT_EQ(of(time_with(0, 2, 3), 0, datasheet_device()).of, "FMA pipe");
  DeviceModel unknown = datasheet_device();
  unknown.fp16_tflops = unknown.dram_gb_per_s = 0;
  EXPECT_FALSE(roofline(time_with(3e6, 0, 0), {.flops = 120e6}, unknown));
}

// 96 MB are read, of which an L2 of 48 MB keeps nothing.
TEST(Predict, NothingIsFasterThanDram) {
  ExecutedLaunch copies = launch();
  copies.plan.footprint_bytes = 96e6;
  copies.plan.is_touch_known = true;
  ExecutedInstruction load = instruction("LDG.E.128 R4, desc[UR4][R2.64]", 1, 0);
  load.sectors = load.missed_sectors = load.first_sectors = 16;
  load.lines = load.missed_lines = 4;
  load.executions = 96e6 / 512;
  load.dram_share = 1;
  copies.kernel.code.push_back(load);
  const Prediction prediction = predict(copies, {}, datasheet_device(), "").prediction;
  const double dram_us = 96e6 / (0.92 * 300e3);
  EXPECT_GE(prediction.p50_us, dram_us);
  EXPECT_GE(prediction.low_us, dram_us);
  EXPECT_EQ(prediction.roofline_of, "DRAM");
  EXPECT_NEAR(*prediction.roofline_us, 96e6 / 300e3, 1e-6);
  copies.plan.footprint_bytes = 20e6;
  EXPECT_LT(predict(copies, {}, datasheet_device(), "").prediction.low_us, dram_us) << "L2 keeps 20 MB";
}

TEST(Predict, TheClockOfTheSmsDoesNotSlowDram) {
  ExecutedLaunch reads = launch();
  reads.plan.footprint_bytes = 400e6;
  DeviceModel capped = datasheet_device();
  const Prediction free = predict(reads, {}, capped, "").prediction;
  capped.power_limit_w = capped.idle_w = 20;
  const Prediction slow = predict(reads, {}, capped, "").prediction;
  EXPECT_LT(*slow.clock_mhz, 0.5 * *free.clock_mhz) << "an idle GPU takes all that the cap allows";
  EXPECT_LT(slow.p50_us, 1.3 * free.p50_us) << "the time is DRAM's";
}

TEST(Predict, ABandSaysWhereItComesFrom) {
  EXPECT_EQ(predict(launch(), {}, datasheet_device(), "").prediction.band,
            "never measured on made up: assumed");
  EXPECT_EQ(predict(launch(), {.is_attention = true}, datasheet_device(), "").prediction.band,
            "never measured on made up: 97 % of 88 published points of six GPUs were inside such a band");
  const Prediction attention = predict(launch(), {.is_attention = true}, datasheet_device(), "").prediction;
  const Prediction other = predict(launch(), {}, datasheet_device(), "").prediction;
  EXPECT_LT(other.low_us, attention.low_us) << "other kernels are predicted worse";
  EXPECT_EQ(other.p50_us, attention.p50_us);
}

TEST(Predict, WhatTheModelWasNotHeldAgainstIsSaid) {
  ExecutedLaunch loops = launch();
  ExecutedInstruction swap = instruction("ATOMS.CAST.SPIN R3, [R0], R2, R3", 1, 0);
  loops.kernel.code.push_back(swap);
  const PredictedPoint with = predict(loops, {}, datasheet_device(), ""),
                       without = predict(launch(), {}, datasheet_device(), "");
  ASSERT_EQ(with.notes.size(), 1u);
  EXPECT_NE(with.notes[0].find("compare-and-swap"), std::string::npos) << with.notes[0];
  EXPECT_LT(with.prediction.low_us, 0.95 * without.prediction.low_us);
}

TEST(Predict, ThePartsAddUpInsideTheBand) {
  const Prediction prediction = predict(launch(), {1e6, true}, datasheet_device(), "abc").prediction;
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
  const PredictedPoint inside = predict(launch(), {1e6, true}, fitted, "");
  EXPECT_NEAR(inside.prediction.low_us, inside.prediction.p50_us / 1.1, 1e-9);
  EXPECT_NEAR(inside.prediction.high_us, inside.prediction.p50_us / 0.9, 1e-9);
  EXPECT_TRUE(inside.notes.empty());
  fitted.fitted[fitted_least_us].value = 150;
  const PredictedPoint outside = predict(launch(), {1e6, true}, fitted, "");
  EXPECT_NEAR(outside.prediction.low_us, outside.prediction.p50_us / 1.15, 1e-9);
  ASSERT_EQ(outside.notes.size(), 1u);
  EXPECT_NE(outside.notes[0].find("outside of the 150 to 500 us"), std::string::npos) << outside.notes[0];
}

// A device whose table has neither L2 nor DRAM, and a grid of one thread.
TEST(Predict, MissingFiguresAndTinyGridsAreNoTrouble) {
  DeviceModel bare = datasheet_device();
  bare.l2_bytes = 0;
  bare.dram_gb_per_s = bare.l2_bytes_per_clk_sm = bare.fp16_tflops = 0;
  ExecutedLaunch touching = launch();
  touching.plan.footprint_bytes = 1e9;
  touching.plan.is_touch_known = true;
  for (const DeviceModel& device : {bare, datasheet_device()}) {
    ExecutedLaunch one = launch();
    one.plan = {};
    for (const ExecutedLaunch& each : {touching, one}) {
      const Prediction prediction = predict(each, {}, device, "").prediction;
      EXPECT_TRUE(std::isfinite(prediction.p50_us) && prediction.p50_us > 0);
      EXPECT_LE(prediction.low_us, prediction.p50_us);
      EXPECT_LE(prediction.p50_us, prediction.high_us);
    }
  }
}

TEST(Predict, MoreSmsAreFaster) {
  DeviceModel large = datasheet_device();
  large.sm_count = 128;
  EXPECT_LT(predict(launch(), {}, large, "").prediction.p50_us,
            0.7 * predict(launch(), {}, datasheet_device(), "").prediction.p50_us);
}

}  // namespace
}  // namespace tilescope::model
