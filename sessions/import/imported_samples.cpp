#include "sessions/import/imported_samples.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "sessions/sample_statistics.hpp"

namespace tilescope {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

}  // namespace

SampleStatistics recorded_statistics(std::vector<double> samples_us) {
  const bool has_spread = samples_us.size() >= min_samples_for_spread;
  SampleStatistics statistics = statistics_of(std::move(samples_us));
  if (!has_spread) statistics.p10_us = statistics.p90_us = not_known;
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
