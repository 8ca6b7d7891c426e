// The port's calls of the driver, on a driver without a GPU: their number and the handles that they leave, not what
// they measure.

#include "profiler/gpu/calibrate/gpu_calibration_port.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "profiler/gpu/calibrate/calibration_report.hpp"
#include "profiler/gpu/calibrate/tests/fake_driver.hpp"
#include "profiler/gpu/cuda/cuda_error.hpp"
#include "profiler/installation.hpp"

namespace tilescope {
namespace {

class GpuPort : public testing::Test {
 protected:
  void SetUp() override {
    device_ = *match_device(load_device_tables(installation_.devices), "L4");
    device_.ordinal = 0;
    const char* toolkit = std::getenv("TILESCOPE_CUDA");
    try {
      compiler_ = std::make_unique<Compiler>(
          Nvrtc::open({.toolkit = toolkit != nullptr ? toolkit : "",
                       .dependencies = installation_.dependencies,
                       .driver_cuda = {}}),
          Compiler::Folders{.kernels = installation_.kernels, .cache = installation_.cache});
    } catch (const NvrtcUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }

  // One run of every kind of memory and of timing.
  static std::vector<MicroRun> some_runs() {
    std::vector<MicroRun> runs;
    for (const MicroRun& run : calibration_plan()) {
      const bool is_new = std::none_of(runs.begin(), runs.end(), [&](const MicroRun& other) {
        return other.memory == run.memory && other.timing == run.timing;
      });
      if (is_new) runs.push_back(run);
    }
    return runs;
  }

  void use_port() const {
    GpuCalibrationPort port(device_, *compiler_, installation_.kernels);
    port.warm_up();
    for (const MicroRun& run : some_runs()) {
      port.prepare(run);
      if (run.timing == MicroTiming::sm_clock) {
        EXPECT_EQ(port.cycles(run.many), 0) << "launches do nothing";
      } else {
        const StreamTiming timing = port.stream();
        EXPECT_GT(timing.bytes, 0);
        EXPECT_GT(timing.p50_us, 0);
        EXPECT_EQ(timing.sm_clock_mhz, 0) << "the probe writes nothing";
      }
      EXPECT_EQ(port.sm_clock_mhz(), 0);
    }
  }

  CalibrationReport calibrate_it(std::string& why_unusable) const {
    const MeasureControl control{[](RequestProgress) {}, [] { return false; }};
    return calibrate_device(device_, *compiler_, installation_.kernels, "580.1", control, why_unusable);
  }

  FakeDriver driver_;
  Installation installation_ = find_installation();
  DeviceModel device_;
  std::unique_ptr<Compiler> compiler_;
};

TEST_F(GpuPort, GivesBackAllThatItTook) {
  EXPECT_EQ(some_runs().size(), 7u);
  use_port();
  EXPECT_EQ(driver_.state->live, 0);
}

TEST_F(GpuPort, LeaksNothingWhenACallFails) {
  GpuCalibrationPort(device_, *compiler_, installation_.kernels).prepare(calibration_plan().front());
  const int calls = driver_.state->calls;
  ASSERT_GT(calls, 10);
  for (int failing = 1; failing <= calls; ++failing) {
    *driver_.state = FakeCuda{};
    driver_.state->fail_at = failing;
    EXPECT_THROW(use_port(), cuda::CudaError) << "at call " << failing;
    EXPECT_EQ(driver_.state->live, 0) << "after a failure of call " << failing;
  }
}

TEST_F(GpuPort, AConfigurationThatTheDeviceCannotTakeIsASentence) {
  GpuCalibrationPort port(device_, *compiler_, installation_.kernels);
  MicroRun run = calibration_plan().front();
  run.parameters["NUM_WARPS"] = std::int64_t{3};
  try {
    port.prepare(run);
    FAIL() << "3 warps are not declared";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("NUM_WARPS = 3 is not one of"), std::string::npos)
        << error.what();
  }
}

TEST_F(GpuPort, AGpuOnWhichNothingWorksIsALaunchFailure) {
  std::string why_unusable;
  const CalibrationReport report = calibrate_it(why_unusable);
  EXPECT_EQ(report.status, Status::launch_failed);
  EXPECT_NE(
      report.reason.find("no figure could be measured; the first: ffma_latency_cycles was not measured"),
      std::string::npos)
      << report.reason;
  EXPECT_EQ(why_unusable, "");
}

TEST_F(GpuPort, APoisonedContextIsSaidToTheWorker) {
  driver_.state->fail_at = 60;  // in the midst of the first runs
  driver_.state->fail_with = CUDA_ERROR_ILLEGAL_ADDRESS;
  std::string why_unusable;
  const CalibrationReport report = calibrate_it(why_unusable);
  EXPECT_EQ(report.status, Status::launch_failed);
  EXPECT_NE(why_unusable.find("poisoned the CUDA context"), std::string::npos);
  EXPECT_EQ(driver_.state->live, 0);
}

}  // namespace
}  // namespace tilescope
