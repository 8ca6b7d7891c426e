// The whole calibration on the present GPU, compared with limits that hold for every architecture from sm_80 to sm_90.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "profiler/gpu/calibrate/calibration_report.hpp"
#include "profiler/gpu/cuda/driver.hpp"
#include "profiler/gpu/cuda/query_device.hpp"
#include "profiler/installation.hpp"

namespace tilescope {
namespace {

class CalibrationOnGpu : public testing::Test {
 protected:
  // Run once for all cases, since it takes seconds.
  static void SetUpTestSuite() {
    try {
      const Installation installation = find_installation();
      const cuda::Driver& driver = cuda::Driver::get();
      const std::vector<DeviceModel> tables = load_device_tables(installation.devices);
      device_ = cuda::query_device(0, tables);
      const char* toolkit = std::getenv("TILESCOPE_CUDA");
      const Compiler compiler(Nvrtc::open({.toolkit = toolkit != nullptr ? toolkit : "",
                                           .dependencies = installation.dependencies,
                                           .driver_cuda = driver.cuda_version()}),
                              {.kernels = installation.kernels,
                               .cache = installation.cache,
                               .dependencies = installation.dependencies});
      const MeasureControl control{[](RequestProgress) {}, [] { return false; }};
      const auto start = std::chrono::steady_clock::now();
      report_ = calibrate_device(device_, compiler, installation.kernels, driver.version_text(), control,
                                 unusable_);
      seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    } catch (const cuda::DriverUnavailable& unavailable) {
      why_skipped_ = unavailable.what();
    }
  }

  void SetUp() override {
    if (!why_skipped_.empty()) GTEST_SKIP() << why_skipped_;
    ASSERT_EQ(report_.reason, "");
  }

  static double value(const std::string& name) {
    const auto found = report_.device.measured.find(name);
    if (found != report_.device.measured.end()) return found->second.value;
    ADD_FAILURE() << name << " was not measured";
    return 0;
  }
  static void expect_between(const std::string& name, double low, double high) {
    EXPECT_GE(value(name), low) << name;
    EXPECT_LE(value(name), high) << name;
  }

  static inline DeviceModel device_;
  static inline CalibrationReport report_;
  static inline std::string unusable_, why_skipped_;
  static inline double seconds_ = 0;
};

TEST_F(CalibrationOnGpu, MeasuresEveryFigureInAMinute) {
  for (const auto& [name, figure] : report_.figures) {
    std::cout << name << " " << figure.value << " " << figure.unit << " (" << figure.spread << ")\n";
  }
  for (const std::string& note : report_.notes) std::cout << note << "\n";
  std::cout << seconds_ << " s\n";
  EXPECT_EQ(unusable_, "");
  for (const MicroRun& run : calibration_plan()) {
    for (const PlannedFigure& planned : run.figures) EXPECT_GT(value(planned.name), 0) << planned.name;
  }
  EXPECT_LT(seconds_, 60);
}

TEST_F(CalibrationOnGpu, ArithmeticIsThatOfAnSm) {
  expect_between("ffma_latency_cycles", 3.9, 6.1);
  expect_between("ffma_lanes_per_clk_sm", 60, 129);  // 64 on sm_80, 128 on the others
  expect_between("hfma2_latency_cycles", 3.9, 12);
  expect_between("hfma2_lanes_per_clk_sm", 30, 258);
  expect_between("mufu_ex2_latency_cycles", 8, 60);
  expect_between("mufu_ex2_lanes_per_clk_sm", 15, 16.5);
  for (const std::string type : {"fp16", "bf16"}) {
    const std::string name = "mma_m16n8k16_" + type;
    expect_between(name + "_latency_cycles", 15, 60);
    expect_between(name + "_flops_per_clk_sm", 480, 4096);
    EXPECT_GE(value(name + "_flops_per_clk_sm"), 0.95 * value(name + "_4warps_flops_per_clk_sm")) << name;
  }
}

TEST_F(CalibrationOnGpu, SharedMemoryPaysForEveryConflict) {
  for (const std::string width : {"4", "8", "16"}) {
    expect_between("shared_load_" + width + "B_1way_latency_cycles", 20, 45);
  }
  // One wavefront per clock. Without conflicts the load unit of sm_86 and sm_89 takes one request in two clocks.
  expect_between("shared_load_4B_1way_cycles", 0.98, 2.2);
  expect_between("shared_load_4B_32way_cycles", 31, 36);
  expect_between("shared_load_8B_16way_cycles", 31, 36);
  expect_between("shared_load_16B_8way_cycles", 31, 36);
  EXPECT_GE(value("shared_load_4B_32way_latency_cycles"), value("shared_load_4B_1way_latency_cycles") + 28);
  for (const std::string form : {"x1", "x2", "x4", "x1_trans", "x2_trans", "x4_trans"}) {
    expect_between("ldmatrix_" + form + "_latency_cycles", 18, 50);
    expect_between("ldmatrix_" + form + "_cycles", 0.98, 8.5);
  }
}

TEST_F(CalibrationOnGpu, BarriersTakeLongerAmongMoreWarps) {
  expect_between("block_barrier_1warps_cycles", 5, 60);
  expect_between("block_barrier_32warps_cycles", 15, 200);
  EXPECT_GT(value("block_barrier_32warps_cycles"), value("block_barrier_1warps_cycles"));
}

TEST_F(CalibrationOnGpu, EachLevelOfMemoryIsFartherThanTheOneBefore) {
  expect_between("l1_latency_cycles", 25, 60);
  expect_between("l2_latency_cycles", 150, 600);
  expect_between("dram_latency_cycles", 300, 1500);
  EXPECT_GT(value("dram_latency_cycles"), 1.2 * value("l2_latency_cycles"));
  for (const std::string width : {"4", "8", "16"}) {
    expect_between("cp_async_" + width + "B_latency_cycles", 100, 1500);
    expect_between("cp_async_" + width + "B_bytes_per_clk_sm", 4, 130);
  }
}

TEST_F(CalibrationOnGpu, BandwidthsFitTheDatasheet) {
  for (const std::string operation : {"read", "copy"}) {
    expect_between("dram_" + operation + "_gb_per_s", 0.3 * device_.dram_gb_per_s,
                   1.05 * device_.dram_gb_per_s);
    expect_between("l2_" + operation + "_bytes_per_clk_sm", 5, 130);
    EXPECT_GT(value("l2_" + operation + "_gb_per_s"), value("dram_" + operation + "_gb_per_s"));
  }
}

}  // namespace
}  // namespace tilescope
