#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/gpu/timing/stop_rule.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The contents of L2 when a launch begins: what the previous launch left (warm), or no data of the kernel (cold).
enum class CacheState { l2_warm, l2_cold };
std::string to_string(CacheState state);

/// One timed run of a prepared series.
struct TimedRun {
  /// [us] for all its launches together.
  double elapsed_us = 0;
  /// [MHz] sampled right after them; 0 if that failed.
  double sm_clock_mhz = 0;
  /// [us] By the host's clock, from before the launch until the GPU was done; 0 if it was not taken.
  double host_us = 0;
};

/// The interface that the timer needs of a GPU. The real one is GraphTimingDevice (profiler/gpu/timing/graph_timing.hpp).
/// Fakes with known times, and fakes that throw at each step, test the timer without a GPU.
template <typename Device>
concept TimingDevice = requires(Device& device, CacheState state, std::int64_t launches) {
  /// Prepares a run of `launches` launches, replacing the previous one. May throw.
  { device.prepare(state, launches) } -> std::same_as<void>;
  /// Executes the prepared run and waits for it. May throw.
  { device.run() } -> std::same_as<TimedRun>;
  /// Releases what prepare made. Called once for each series that was begun, however it ends.
  { device.finish() }
  noexcept->std::same_as<void>;
  /// [MHz] The specified boost clock of the GPU; 0 if unknown.
  { device.default_clock_mhz() } -> std::convertible_to<double>;
  /// [s] A monotonic clock.
  { device.now_s() } -> std::convertible_to<double>;
};

struct TimingOptions {
  /// [s] For a series, see StopRule.
  double budget_s = 0.5;
  /// [s] For a series, including its calibration. One run is always finished.
  double time_limit_s = 2.0;
  /// Share of the L2-cold series in the time of both, where time_latency times the two: points are compared
  /// by the L2-warm one.
  double cold_share = 0.5;
  /// [us] Each sample has enough launches to take this long, because the timer's tick is 1 us.
  double min_sample_us = 200.0;
  std::int64_t max_launches = 4096;
  /// [us] of one launch, as far as it is known: the first graph then mostly has enough launches. 0: unknown.
  double expected_us = 0;
  /// Called before every run.
  std::function<bool()> cancelled = [] { return false; };
  /// 0 to 1, after every run.
  std::function<void(double)> progress = [](double) {};
  /// Called with the finished L2-warm series, before the L2-cold one begins.
  std::function<void(const Latency&)> warm_is_final = [](const Latency&) {};
};

/// Latencies, with notes for the reader.
struct TimedLatency {
  /// Without tflops, since the shape is unknown here.
  Latency latency;
  std::vector<std::string> notes;
};

namespace timing_detail {

/// Calls finish() however the series ends; created before the first call that may fail.
template <typename Device>
class FinishGuard {
 public:
  explicit FinishGuard(Device& device) : device_(device) {}
  ~FinishGuard() { device_.finish(); }
  FinishGuard(const FinishGuard&) = delete;
  FinishGuard& operator=(const FinishGuard&) = delete;

 private:
  Device& device_;
};

/// The next number of launches to try when `launches` took `elapsed_us`. Aims a fifth above the goal, and grows by at
/// least 2x, so that the loop ends, and by at most 16x, because a first run may be mostly overhead.
std::int64_t more_launches(std::int64_t launches, double elapsed_us, const TimingOptions& options);

/// A sample of the L2-cold series is the difference of two runs. Where one is negative, something else kept the GPU busy: the
/// series goes, with a note.
void drop_negative_series(TimedLatency& timed);

/// How many launches to try first.
std::int64_t first_launches(const TimingOptions& options);

/// Prepares runs with increasing numbers of launches until one takes long enough. Returns its number of launches,
/// nothing when cancelled.
template <TimingDevice Device>
std::optional<std::int64_t> calibrate(Device& device, CacheState state, const TimingOptions& options,
                                      double deadline_s) {
  std::int64_t launches = first_launches(options);
  while (true) {
    if (options.cancelled()) return std::nullopt;
    device.prepare(state, launches);
    device.run();  // The first run of a graph also loads it, so it is not timed.
    if (options.cancelled()) return std::nullopt;
    const double elapsed_us = device.run().elapsed_us;
    if (elapsed_us >= options.min_sample_us || launches >= options.max_launches ||
        device.now_s() >= deadline_s) {
      return launches;
    }
    launches = more_launches(launches, elapsed_us, options);
  }
}

}  // namespace timing_detail

/// One series of samples. Each is the mean over the launches of one run, so that percentiles are over runs, not over
/// single launches; `launches_per_sample` is their number. Returns nothing when cancelled; throws what the device
/// throws.
template <TimingDevice Device>
std::optional<SampleStatistics> time_series(Device& device, CacheState state, const TimingOptions& options,
                                            std::vector<std::string>& notes) {
  const timing_detail::FinishGuard guard(device);
  const double begin_s = device.now_s();
  const auto launches = timing_detail::calibrate(device, state, options, begin_s + options.time_limit_s);
  if (!launches) return std::nullopt;
  StopRuleOptions rule_options;
  rule_options.budget_s = options.budget_s;
  rule_options.time_limit_s = options.time_limit_s;
  rule_options.default_clock_mhz = device.default_clock_mhz();
  StopRule rule(rule_options);
  std::optional<std::string> stopped_by;
  std::vector<double> host_us;
  while (!stopped_by) {
    if (options.cancelled()) return std::nullopt;
    const TimedRun run = device.run();
    if (run.host_us > 0) host_us.push_back(run.host_us);
    rule.add(run.elapsed_us / static_cast<double>(*launches), run.sm_clock_mhz);
    const double spent_s = device.now_s() - begin_s;
    options.progress(std::min(spent_s / options.budget_s, 1.0));
    stopped_by = rule.why_stop(spent_s);
  }
  SampleStatistics statistics = rule.statistics();
  statistics.stopped_by = *stopped_by;
  statistics.launches_per_sample = *launches;
  if (!host_us.empty()) statistics.host_us = statistics_of(std::move(host_us)).p50_us;
  if (rule.runs_below_default_clock()) {
    notes.push_back(
        "The " + to_string(state) + " series ran at " + std::to_string(std::lround(statistics.sm_clock_mhz)) +
        " MHz, under 75% of the GPU's " + std::to_string(std::lround(device.default_clock_mhz())) +
        " MHz: the GPU stays at this clock, possibly because of its power limit, and the samples were kept.");
  }
  return statistics;
}

/// A measured latency with these samples of the L2-warm series.
Latency latency_of(SampleStatistics l2_warm);

/// The L2-warm and the L2-cold series. Returns nothing when cancelled; throws what the device throws.
template <TimingDevice Device>
std::optional<TimedLatency> time_latency(Device& device, const TimingOptions& options) {
  TimedLatency timed;
  const double warm_share = 1 / (1 + options.cold_share);  // of the time of both
  TimingOptions series = options;
  series.progress = [&](double fraction) { options.progress(warm_share * fraction); };
  const auto warm = time_series(device, CacheState::l2_warm, series, timed.notes);
  if (!warm) return std::nullopt;
  timed.latency = latency_of(*warm);
  options.warm_is_final(timed.latency);
  series.progress = [&](double fraction) {
    options.progress(std::min(warm_share + (1 - warm_share) * fraction, 1.0));
  };
  series.budget_s *= options.cold_share;
  series.time_limit_s *= options.cold_share;
  series.expected_us = warm->p50_us;
  timed.latency.l2_cold = time_series(device, CacheState::l2_cold, series, timed.notes);
  if (!timed.latency.l2_cold) return std::nullopt;
  timing_detail::drop_negative_series(timed);
  return timed;
}

}  // namespace tilescope
