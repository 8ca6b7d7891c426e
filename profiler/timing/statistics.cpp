#include "profiler/timing/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tilescope {

double percentile_of_sorted(std::span<const double> sorted, double q) {
  if (sorted.empty()) throw std::invalid_argument("a percentile needs at least one sample");
  if (!(q >= 0.0 && q <= 1.0)) throw std::invalid_argument("a percentile's fraction must be from 0 to 1");
  if (!std::is_sorted(sorted.begin(), sorted.end()))
    throw std::invalid_argument("the samples are not sorted");
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

SampleStatistics statistics_of(std::vector<double> samples_us) {
  if (samples_us.empty()) throw std::invalid_argument("statistics need at least one sample");
  RunningMoments moments;
  for (const double sample : samples_us) {
    if (!std::isfinite(sample)) throw std::invalid_argument("a latency sample is not a finite number");
    moments.add(sample);
  }
  std::sort(samples_us.begin(), samples_us.end());
  SampleStatistics statistics;
  statistics.count = moments.count();
  statistics.mean_us = moments.mean();
  statistics.stddev_us = moments.stddev();
  statistics.min_us = samples_us.front();
  statistics.p10_us = percentile_of_sorted(samples_us, 0.10);
  statistics.q1_us = percentile_of_sorted(samples_us, 0.25);
  statistics.p50_us = percentile_of_sorted(samples_us, 0.50);
  statistics.q3_us = percentile_of_sorted(samples_us, 0.75);
  statistics.p90_us = percentile_of_sorted(samples_us, 0.90);
  statistics.max_us = samples_us.back();
  return statistics;
}

void RunningMoments::add(double value) {
  ++count_;
  const double from_old_mean = value - mean_;
  mean_ += from_old_mean / static_cast<double>(count_);
  squares_ += from_old_mean * (value - mean_);
}

double RunningMoments::stddev() const {
  return count_ < 2 ? 0.0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

double RunningMoments::relative_stddev() const {
  if (count_ < 2 || mean_ == 0.0) return std::numeric_limits<double>::infinity();
  return stddev() / std::fabs(mean_);
}

}  // namespace tilescope
