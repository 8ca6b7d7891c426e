#include "profiler/gpu/timing/latency_timer.hpp"

namespace tilescope {

std::string to_string(CacheState state) {
  return state == CacheState::l2_warm ? "l2_warm" : "l2_cold";
}

Latency latency_of(SampleStatistics l2_warm) {
  Latency latency;
  latency.kind = LatencyKind::measured;
  latency.series = to_string(CacheState::l2_warm);
  latency.p10_us = l2_warm.p10_us;
  latency.p50_us = l2_warm.p50_us;
  latency.p90_us = l2_warm.p90_us;
  latency.samples = l2_warm.count;
  latency.l2_warm = std::move(l2_warm);
  return latency;
}

namespace timing_detail {

void drop_negative_series(TimedLatency& timed) {
  if (timed.latency.l2_cold->min_us >= 0) return;
  timed.latency.l2_cold.reset();
  timed.notes.push_back("The " + to_string(CacheState::l2_cold) +
                        " series was left out: clearing L2 alone took longer than clearing it before "
                        "launches, as where another "
                        "program uses the GPU, too.");
}

std::int64_t first_launches(const TimingOptions& options) {
  if (!(options.expected_us > 0)) return 1;
  const double wanted = std::ceil(1.2 * options.min_sample_us / options.expected_us);
  return static_cast<std::int64_t>(std::clamp(wanted, 1.0, static_cast<double>(options.max_launches)));
}

std::int64_t more_launches(std::int64_t launches, double elapsed_us, const TimingOptions& options) {
  // The difference of two runs can be zero or negative. Then it is only known to be small.
  const double per_launch_us = std::max(elapsed_us, 1.0) / static_cast<double>(launches);
  const double wanted = std::ceil(1.2 * options.min_sample_us / per_launch_us);
  const auto aimed = static_cast<std::int64_t>(std::min(wanted, static_cast<double>(options.max_launches)));
  return std::min(std::clamp(aimed, 2 * launches, 16 * launches), options.max_launches);
}

}  // namespace timing_detail
}  // namespace tilescope
