#include "profiler/gpu/timing/provisional_latency.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace tilescope {
namespace {

// A GPU whose clock and latency change from run to run.
class WakingDevice {
 public:
  double launch_us = 50;
  std::vector<double> clocks{1980, 1980, 1980, 1980, 1980};
  int throw_at = 0;

  void prepare(CacheState state, std::int64_t launches) {
    step();
    EXPECT_EQ(state, CacheState::l2_warm);
    launches_ = launches;
    is_prepared = true;
  }
  TimedRun run() {
    step();
    total_launches += launches_;
    const double elapsed_us = launch_us * static_cast<double>(launches_);
    time_s_ += elapsed_us * 1e-6;
    return {elapsed_us, clocks[runs++ % clocks.size()]};
  }
  void finish() noexcept { is_prepared = false; }
  double default_clock_mhz() const { return 1980; }
  double now_s() const { return time_s_; }

  int calls = 0;
  std::size_t runs = 0;
  std::int64_t total_launches = 0;
  bool is_prepared = false;

 private:
  void step() {
    if (++calls == throw_at) throw std::runtime_error("call failed");
  }
  std::int64_t launches_ = 0;
  double time_s_ = 7;
};
static_assert(TimingDevice<WakingDevice>);

const std::function<bool()> never = [] { return false; };

TEST(ProvisionalLatency, ComesFromAtMostTenLaunches) {
  WakingDevice device;
  const auto timed = time_provisional(device, never);
  ASSERT_TRUE(timed);
  EXPECT_EQ(device.total_launches, 10);
  EXPECT_DOUBLE_EQ(timed->latency.p10_us, 50);
  EXPECT_DOUBLE_EQ(timed->latency.p50_us, 50);
  EXPECT_DOUBLE_EQ(timed->latency.p90_us, 50);
  EXPECT_EQ(timed->latency.samples, 5);
  EXPECT_EQ(timed->latency.l2_warm->stopped_by, "provisional");
  EXPECT_EQ(timed->latency.l2_warm->launches_per_sample, 2);
  EXPECT_DOUBLE_EQ(timed->latency.l2_warm->sm_clock_mhz, 1980);
  EXPECT_FALSE(timed->latency.l2_cold);
  EXPECT_FALSE(timed->is_clock_rising);
  EXPECT_FALSE(device.is_prepared);
}

TEST(ProvisionalLatency, OfASlowKernelComesFromTwoSamples) {
  WakingDevice device;
  device.launch_us = 15'000;
  const auto timed = time_provisional(device, never);
  EXPECT_EQ(timed->latency.samples, 2);
  EXPECT_DOUBLE_EQ(timed->latency.p50_us, 15'000);
}

TEST(ProvisionalLatency, OfAVerySlowKernelComesFromOneSample) {
  WakingDevice device;
  device.launch_us = 500'000;
  device.clocks = {0, 1980};
  const auto timed = time_provisional(device, never);
  EXPECT_EQ(timed->latency.samples, 1);
  EXPECT_DOUBLE_EQ(timed->latency.p50_us, 500'000);
  EXPECT_DOUBLE_EQ(timed->latency.l2_warm->sm_clock_mhz, 0) << "unknown";
}

TEST(ProvisionalLatency, AnUnknownClockIsLeftOutOfTheMedian) {
  WakingDevice device;
  device.clocks = {0, 1980, 0, 0, 1980};
  EXPECT_DOUBLE_EQ(time_provisional(device, never)->latency.l2_warm->sm_clock_mhz, 1980);
}

TEST(ProvisionalLatency, SaysThatTheClockRises) {
  EXPECT_TRUE(is_clock_rising({345, 600, 1200, 1700, 1980}, 1980));
  EXPECT_TRUE(is_clock_rising({1400, 1400, 1400}, 1980)) << "under 75%";
  EXPECT_TRUE(is_clock_rising({1600, 1700, 1800}, 1980)) << "above 75%, but rising";
  EXPECT_FALSE(is_clock_rising({1980, 1965, 1950}, 1980)) << "falling, as under load";
  EXPECT_FALSE(is_clock_rising({1965, 1980, 1980}, 1980)) << "one step";
  EXPECT_FALSE(is_clock_rising({0, 0}, 1980)) << "unknown";
  EXPECT_FALSE(is_clock_rising({0, 1980, 0, 1980}, 1980));
  EXPECT_FALSE(is_clock_rising({345, 345}, 0)) << "the default is unknown";
  WakingDevice device;
  device.clocks = {345, 900, 1500, 1900, 1980};
  EXPECT_TRUE(time_provisional(device, never)->is_clock_rising);
}

TEST(ProvisionalLatency, ACancelEndsItBetweenAnyTwoRuns) {
  for (std::size_t runs = 0; runs < 5; ++runs) {
    WakingDevice device;
    EXPECT_FALSE(time_provisional(device, [&] { return device.runs >= runs; }));
    EXPECT_EQ(device.runs, runs);
    EXPECT_FALSE(device.is_prepared);
  }
}

TEST(ProvisionalLatency, AFailureOfAnyCallReachesTheCaller) {
  for (int failing = 1; failing <= 6; ++failing) {
    WakingDevice device;
    device.throw_at = failing;
    EXPECT_THROW(time_provisional(device, never), std::runtime_error) << failing;
    EXPECT_FALSE(device.is_prepared) << failing;
  }
}

}  // namespace
}  // namespace tilescope
