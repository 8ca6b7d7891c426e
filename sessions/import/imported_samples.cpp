#include "sessions/import/imported_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tilescope {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// `sorted` is ascending and not empty, `share` 0 to 1.
double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

double standard_deviation(const std::vector<double>& samples, double mean) {
  if (samples.size() < 2) return 0;
  double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  return std::sqrt(squares / static_cast<double>(samples.size() - 1));
}

}  // namespace

SampleStatistics recorded_statistics(std::vector<double> samples_us) {
  std::sort(samples_us.begin(), samples_us.end());
  const bool has_spread = samples_us.size() >= min_samples_for_spread;
  SampleStatistics statistics;
  statistics.count = static_cast<std::int64_t>(samples_us.size());
  statistics.mean_us =
      std::accumulate(samples_us.begin(), samples_us.end(), 0.0) / static_cast<double>(samples_us.size());
  statistics.stddev_us = standard_deviation(samples_us, statistics.mean_us);
  statistics.min_us = samples_us.front();
  statistics.p10_us = has_spread ? percentile(samples_us, 0.10) : not_known;
  statistics.q1_us = percentile(samples_us, 0.25);
  statistics.p50_us = percentile(samples_us, 0.50);
  statistics.q3_us = percentile(samples_us, 0.75);
  statistics.p90_us = has_spread ? percentile(samples_us, 0.90) : not_known;
  statistics.max_us = samples_us.back();
  statistics.launches_per_sample = 1;
  return statistics;
}

Latency latency_of(const SampleStatistics& statistics, const std::string& series,
                   std::vector<std::string>& notes) {
  Latency latency = latency_without_samples(statistics.p50_us, series);
  latency.p10_us = statistics.p10_us;
  latency.p90_us = statistics.p90_us;
  latency.samples = statistics.count;
  if (std::isnan(statistics.p10_us)) {
    notes.push_back(std::to_string(statistics.count) +
                    (statistics.count == 1 ? " sample is" : " samples are") + " too few for p10 and p90.");
  }
  return latency;
}

Latency latency_without_samples(double p50_us, const std::string& series) {
  Latency latency;
  latency.kind = LatencyKind::recorded;
  latency.p10_us = latency.p90_us = not_known;
  latency.p50_us = p50_us;
  latency.tflops = not_known;
  latency.series = series;
  return latency;
}

void add_speed(Latency& latency, const Shape& shape) {
  latency.tflops = attention_flops(shape) / latency.p50_us * 1e-6;
  latency.tflops_formula = shape.causal ? "4*B*Hq*Sq*Sk*D / 2 / p50" : "4*B*Hq*Sq*Sk*D / p50";
}

}  // namespace tilescope
