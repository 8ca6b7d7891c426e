#include "profiler/gpu/timing/provisional_latency.hpp"

#include <algorithm>

namespace tilescope {
namespace {

constexpr double min_clock_fraction = StopRuleOptions{}.min_clock_fraction;
/// Relative. More than the clock moves under a steady load (15 MHz steps of 1980).
constexpr double rising = 0.02;

}  // namespace

bool is_clock_rising(const std::vector<double>& clocks_mhz, double default_clock_mhz) {
  std::vector<double> known;
  std::copy_if(clocks_mhz.begin(), clocks_mhz.end(), std::back_inserter(known),
               [](double clock) { return clock > 0; });
  if (known.empty()) return false;
  const double lowest = *std::min_element(known.begin(), known.end());
  return lowest < min_clock_fraction * default_clock_mhz || known.back() > (1 + rising) * known.front();
}

ProvisionalLatency provisional_latency(const std::vector<TimedRun>& runs, std::int64_t launches_per_run,
                                       double default_clock_mhz) {
  std::vector<double> samples, clocks;
  for (const TimedRun& run : runs) {
    samples.push_back(run.elapsed_us / static_cast<double>(launches_per_run));
    clocks.push_back(run.sm_clock_mhz);
  }
  ProvisionalLatency provisional;
  provisional.is_clock_rising = is_clock_rising(clocks, default_clock_mhz);
  std::erase(clocks, 0.0);  // unknown
  std::sort(clocks.begin(), clocks.end());
  SampleStatistics statistics = statistics_of(std::move(samples));
  if (!clocks.empty()) statistics.sm_clock_mhz = percentile_of_sorted(clocks, 0.5);
  statistics.stopped_by = "provisional";
  statistics.launches_per_sample = launches_per_run;
  provisional.latency = latency_of(std::move(statistics));
  return provisional;
}

}  // namespace tilescope
