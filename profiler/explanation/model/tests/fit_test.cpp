#include "profiler/explanation/model/fit.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "profiler/explanation/model/latency_model.hpp"
#include "profiler/explanation/model/tests/made_up_kernel.hpp"

namespace tilescope::model {
namespace {

using test_support::instruction;
using test_support::kernel_of;

DeviceModel small_device() {
  DeviceModel device = test_support::datasheet_device();
  device.sm_count = 4;
  return device;
}

std::vector<ExecutedLaunch> launches() {
  std::vector<ExecutedLaunch> made;
  for (const int length : {10, 40, 160, 640}) {
    const std::vector<ExecutedInstruction> chain(static_cast<std::size_t>(length),
                                                 instruction("FFMA R0, R0, R1, R2", 4));
    for (const std::uint64_t grid : {1u, 4u, 9u}) {
      ExecutedLaunch launch;
      launch.kernel = kernel_of({chain, {instruction("BAR.SYNC.DEFER_BLOCKING 0x0")}, chain}, {0, 1, 2}, 4);
      launch.plan.grid_x = grid;
      made.push_back(std::move(launch));
    }
  }
  return made;
}

TEST(Fit, FindsWhatTheLaunchesWereMadeWith) {
  const DeviceModel device = small_device();
  ModelParameters truth = model_parameters(device);
  truth.launch_us = 2.5;
  truth.barrier_wait_cycles = 60;
  const std::vector<ExecutedLaunch> made = launches();
  std::vector<MeasuredLaunch> measured;
  measured.reserve(made.size());
  for (const ExecutedLaunch& launch : made)
    measured.push_back({&launch, launch_time(launch.kernel, launch.plan, truth).us});
  FitOptions options;
  options.source = "made up";
  const Fit fitted = fit(measured, device, options);
  EXPECT_GT(fitted.error_before, 0.2);
  EXPECT_LT(fitted.error_after, 0.03);
  ASSERT_TRUE(fitted.figures.contains("launch_us"));
  EXPECT_NEAR(fitted.figures.at("launch_us").value, 2.5, 0.3);
  EXPECT_EQ(fitted.figures.at("launch_us").source, "fitted: made up");
  EXPECT_NEAR(fitted.figures.at(fitted_least_us).value, measured.front().us, 1e-9);

  DeviceModel with_fit = device;
  with_fit.fitted = fitted.figures;
  EXPECT_NEAR(model_parameters(with_fit).launch_us, 2.5, 0.3);
  EXPECT_EQ(model_parameters(with_fit, TableUse::measured).launch_us, model_parameters(device).launch_us);
}

TEST(Fit, EndsWhenItIsCancelled) {
  const std::vector<ExecutedLaunch> made = launches();
  FitOptions options;
  options.cancelled = [] { return true; };
  const Fit fitted = fit({{&made[0], 1000.0}}, small_device(), options);
  EXPECT_TRUE(fitted.figures.empty());
}

TEST(Fit, NothingIsFittedToNothing) {
  EXPECT_TRUE(fit({}, small_device(), {}).figures.empty());
}

TEST(ModelParameters, EveryNumberHasASource) {
  DeviceModel device = small_device();
  device.measured["l2_latency_cycles"] = {300, "cycles", 0, "measured: clock64"};
  for (const ParameterRow& row : parameter_rows(device)) {
    EXPECT_FALSE(row.source.empty()) << row.name;
    if (row.name == "l2_latency_cycles") {
      EXPECT_EQ(row.source, "measured: clock64");
    }
  }
  EXPECT_EQ(model_parameters(device).l2_latency, 300);
  EXPECT_NE(model_parameters(device, TableUse::datasheet).l2_latency, 300);
}

}  // namespace
}  // namespace tilescope::model
