#include "profiler/gpu/timing/latency_timer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace tilescope {
namespace {

/// A GPU with known times: its clock advances with each run, and it throws at the step that a test chooses.
class FakeDevice {
 public:
  /// [us] of one launch
  double warm_us = 9, cold_us = 14;
  /// [s] of the host, for each run
  double overhead_s = 5e-6;
  double clock_mhz = 1980, default_mhz = 1980;
  /// The call that throws, counted from 1; 0: none.
  int throw_at = 0;
  /// Relative, of the run with this number.
  std::function<double(int)> noise = [](int) { return 0.0; };

  void prepare(CacheState state, std::int64_t launches) {
    step();
    state_ = state;
    launches_ = launches;
    prepared_ = true;
    prepared_launches.push_back(launches);
  }
  TimedRun run() {
    step();
    if (!prepared_) throw std::logic_error("run before prepare");
    ++runs;
    const double launch_us = state_ == CacheState::l2_warm ? warm_us : cold_us;
    const double elapsed_us = launch_us * static_cast<double>(launches_) * (1 + noise(runs));
    const double clears_us = state_ == CacheState::l2_warm ? 0.0 : 20.0 * static_cast<double>(launches_);
    time_s_ += (elapsed_us + 2 * clears_us) * 1e-6 + overhead_s;
    return {elapsed_us, clock_mhz};
  }
  void finish() noexcept {
    prepared_ = false;
    ++finished;
  }
  double default_clock_mhz() const { return default_mhz; }
  double now_s() const { return time_s_; }

  int calls = 0, runs = 0, finished = 0;
  std::vector<std::int64_t> prepared_launches;
  bool prepared() const { return prepared_; }

 private:
  void step() {
    if (++calls == throw_at) throw std::runtime_error("call " + std::to_string(calls) + " failed");
  }
  CacheState state_ = CacheState::l2_warm;
  std::int64_t launches_ = 0;
  bool prepared_ = false;
  double time_s_ = 100;
};
static_assert(TimingDevice<FakeDevice>);

TEST(LatencyTimer, FindsTheKnownTimesPerLaunch) {
  FakeDevice device;
  const auto timed = time_latency(device, {});
  ASSERT_TRUE(timed);
  const Latency& latency = timed->latency;
  EXPECT_EQ(latency.kind, LatencyKind::measured);
  EXPECT_EQ(latency.series, "l2_warm");
  EXPECT_NEAR(latency.p50_us, 9, 1e-9);
  EXPECT_NEAR(latency.l2_cold->p50_us, 14, 1e-9);
  EXPECT_EQ(latency.samples, latency.l2_warm->count);
  EXPECT_EQ(latency.l2_warm->stopped_by, "converged");
  EXPECT_DOUBLE_EQ(latency.l2_warm->sm_clock_mhz, 1980);
  EXPECT_EQ(latency.tflops, 0) << "the timer does not know the shape";
  EXPECT_TRUE(timed->notes.empty());
  EXPECT_EQ(device.finished, 2);
}

TEST(LatencyTimer, LeavesOutAColdSeriesThatAnotherProgramMadeNegative) {
  FakeDevice device;
  device.cold_us = 0.001;
  device.noise = [](int run) { return run % 7 == 0 ? -2.0 : 0.0; };
  device.warm_us = 300;
  const auto timed = time_latency(device, {});
  ASSERT_TRUE(timed);
  EXPECT_FALSE(timed->latency.l2_cold);
  ASSERT_FALSE(timed->notes.empty());
  EXPECT_NE(timed->notes.back().find("l2_cold series was left out"), std::string::npos);
}

TEST(LatencyTimer, GivesASampleEnoughLaunchesToBeWellAboveTheTick) {
  for (const double launch_us : {0.5, 2.0, 9.0, 60.0, 199.0, 201.0, 5000.0}) {
    FakeDevice device;
    device.warm_us = launch_us;
    std::vector<std::string> notes;
    const auto statistics = time_series(device, CacheState::l2_warm, {}, notes);
    const double sample_us = launch_us * static_cast<double>(statistics->launches_per_sample);
    EXPECT_GE(sample_us, 200) << launch_us;
    EXPECT_LE(sample_us, std::max(launch_us, 1000.0)) << launch_us;
    EXPECT_EQ(device.prepared_launches.front(), 1)
        << "a slow kernel is not launched thousands of times to find out";
  }
}

TEST(LatencyTimer, AKnownLatencyMakesTheFirstGraphTheLastOne) {
  for (const double launch_us : {0.5, 9.0, 60.0, 201.0, 5000.0}) {
    FakeDevice device;
    device.warm_us = launch_us;
    TimingOptions options;
    options.expected_us = launch_us * 1.1;
    std::vector<std::string> notes;
    const auto statistics = time_series(device, CacheState::l2_warm, options, notes);
    EXPECT_EQ(device.prepared_launches.size(), 1U) << launch_us;
    EXPECT_GE(launch_us * static_cast<double>(statistics->launches_per_sample), 200) << launch_us;
  }
  FakeDevice wrong;
  TimingOptions options;
  options.expected_us = 1000;
  std::vector<std::string> notes;
  const auto statistics = time_series(wrong, CacheState::l2_warm, options, notes);
  EXPECT_GE(9.0 * static_cast<double>(statistics->launches_per_sample), 200) << "a wrong guess costs a graph";
}

TEST(LatencyTimer, ShowsTheWarmSeriesBeforeTheColdOneBegins) {
  FakeDevice device;
  TimingOptions options;
  int calls = 0;
  options.warm_is_final = [&](const Latency& latency) {
    ++calls;
    EXPECT_NEAR(latency.p50_us, 9, 1e-9);
    EXPECT_TRUE(latency.l2_warm && !latency.l2_cold);
    EXPECT_EQ(latency.l2_warm->stopped_by, "converged");
    EXPECT_EQ(device.finished, 1);
  };
  EXPECT_TRUE(time_latency(device, options)->latency.l2_cold);
  EXPECT_EQ(calls, 1);
}

TEST(LatencyTimer, SpendsItsBudgetAndNotMuchMore) {
  FakeDevice device;
  const double begin = device.now_s();
  std::vector<std::string> notes;
  const auto statistics = time_series(device, CacheState::l2_warm, {}, notes);
  EXPECT_GE(device.now_s() - begin, 0.5);
  EXPECT_LT(device.now_s() - begin, 0.51);
  EXPECT_GT(statistics->count, 1000);
}

TEST(LatencyTimer, EndsAtTheTimeLimitWithANoisyKernel) {
  FakeDevice device;
  device.warm_us = 30'000;
  device.noise = [](int run) { return run % 2 == 0 ? 0.05 : -0.05; };
  const double begin = device.now_s();
  std::vector<std::string> notes;
  const auto statistics = time_series(device, CacheState::l2_warm, {}, notes);
  EXPECT_LT(device.now_s() - begin, 2.1);
  EXPECT_TRUE(statistics->stopped_by == "stable_noise" || statistics->stopped_by == "time_limit");
  EXPECT_NEAR(statistics->p50_us, 30'000, 1501);
}

TEST(LatencyTimer, ShowsAKernelThatTakesLongerThanTheTimeLimit) {
  FakeDevice device;
  device.warm_us = 3e6;
  std::vector<std::string> notes;
  const auto statistics = time_series(device, CacheState::l2_warm, {}, notes);
  EXPECT_EQ(statistics->count, 1);
  EXPECT_EQ(statistics->stopped_by, "time_limit");
  EXPECT_DOUBLE_EQ(statistics->p50_us, 3e6);
  EXPECT_EQ(device.runs, 3);
}

TEST(LatencyTimer, CalibratesAlsoWhenADifferenceComesOutUnderZero) {
  FakeDevice device;
  device.cold_us = -0.1;
  std::vector<std::string> notes;
  const auto statistics = time_series(device, CacheState::l2_cold, {}, notes);
  EXPECT_EQ(statistics->launches_per_sample, TimingOptions{}.max_launches);
  EXPECT_NEAR(statistics->p50_us, -0.1, 1e-12) << "nothing is clipped";
}

TEST(LatencyTimer, SaysThatTheGpuIsHeldAtALowClock) {
  FakeDevice device;
  device.clock_mhz = 1100;
  device.default_mhz = 2040;
  const auto timed = time_latency(device, {});
  ASSERT_EQ(timed->notes.size(), 2U);
  EXPECT_EQ(timed->notes[0].find("The l2_warm series ran at 1100 MHz, under 75% of the GPU's 2040 MHz"), 0U);
  EXPECT_EQ(timed->latency.l2_warm->dropped, 0);
  EXPECT_GE(timed->latency.l2_warm->count, 10);
}

TEST(LatencyTimer, GivesBackWhatItPreparedWhicheverStepThrows) {
  FakeDevice whole;
  TimingOptions brief;
  brief.budget_s = 0.003;
  time_latency(whole, brief);
  ASSERT_GT(whole.calls, 30);
  for (int failing = 1; failing <= whole.calls; ++failing) {
    FakeDevice device;
    device.throw_at = failing;
    EXPECT_THROW(time_latency(device, brief), std::runtime_error) << "at call " << failing;
    EXPECT_FALSE(device.prepared()) << "after a failure of call " << failing;
    EXPECT_EQ(device.calls, failing) << "nothing is asked of a device that has failed";
  }
}

TEST(LatencyTimer, HeedsACancelBetweenAnyTwoRuns) {
  FakeDevice whole;
  TimingOptions brief;
  brief.budget_s = 0.003;
  time_latency(whole, brief);
  for (int runs = 0; runs < whole.runs; ++runs) {
    FakeDevice device;
    TimingOptions cancelled = brief;
    cancelled.cancelled = [&] { return device.runs >= runs; };
    EXPECT_FALSE(time_latency(device, cancelled)) << "after " << runs;
    EXPECT_LE(device.runs, runs + 1);
    EXPECT_FALSE(device.prepared());
  }
}

TEST(LatencyTimer, TheColdSeriesTakesItsShareOfTheTime) {
  for (const double share : {0.5, 1.0}) {
    FakeDevice device;
    TimingOptions options;
    options.cold_share = share;
    const double begin_s = device.now_s();
    double warm_s = 0;
    options.warm_is_final = [&](const Latency&) { warm_s = device.now_s() - begin_s; };
    time_latency(device, options);
    EXPECT_NEAR(warm_s, options.budget_s, 0.01);
    EXPECT_NEAR(device.now_s() - begin_s - warm_s, share * options.budget_s, 0.01);
  }
}

TEST(LatencyTimer, ReportsProgressFromZeroToOne) {
  FakeDevice device;
  TimingOptions options;
  double last = 0;
  options.progress = [&](double fraction) {
    EXPECT_GE(fraction, last);
    EXPECT_LE(fraction, 1.0);
    last = fraction;
  };
  time_latency(device, options);
  EXPECT_EQ(last, 1.0);
}

}  // namespace
}  // namespace tilescope
