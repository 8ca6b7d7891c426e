#pragma once

#include <optional>
#include <vector>

#include "profiler/gpu/timing/latency_timer.hpp"

namespace tilescope {

/// The latency of at most ten launches, for a first look.
struct ProvisionalLatency {
  /// L2-warm, without tflops. Its l2_warm says "provisional" for the reason to stop.
  Latency latency;
  /// The SM clock was under 75% of the default, or still rising: the final latency will be lower.
  bool is_clock_rising = false;
};

/// [launches] A sample of two has half of the overhead that one between two events would have.
inline constexpr std::int64_t provisional_launches_per_sample = 2;
inline constexpr std::int64_t provisional_samples = 5;
/// [s] After which a slow kernel gets no third sample, and after ten times as much no second one.
inline constexpr double provisional_time_s = 0.02;

/// Whether the clocks, sampled one after the other, show a GPU that is waking up. 0 in `clocks_mhz` is unknown.
bool is_clock_rising(const std::vector<double>& clocks_mhz, double default_clock_mhz);

/// The latency known after these samples; there is at least one.
ProvisionalLatency provisional_latency(const std::vector<TimedRun>& runs, std::int64_t launches_per_run,
                                       double default_clock_mhz);

/// Times a few launches, without a stop rule. The kernel has run before. Returns nothing when cancelled; throws what the
/// device throws.
template <TimingDevice Device>
std::optional<ProvisionalLatency> time_provisional(Device& device, const std::function<bool()>& cancelled) {
  const timing_detail::FinishGuard guard(device);
  const double begin_s = device.now_s();
  device.prepare(CacheState::l2_warm, provisional_launches_per_sample);
  std::vector<TimedRun> runs;
  while (runs.size() < provisional_samples) {
    if (cancelled()) return std::nullopt;
    runs.push_back(device.run());
    const double limit_s = runs.size() >= 2 ? provisional_time_s : 10 * provisional_time_s;
    if (device.now_s() - begin_s >= limit_s) break;
  }
  return provisional_latency(runs, provisional_launches_per_sample, device.default_clock_mhz());
}

}  // namespace tilescope
