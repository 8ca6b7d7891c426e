#include "sessions/sample_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tilescope {

namespace {

/// Between which of the ordered samples a percentile lies.
struct Position {
  std::size_t below = 0, above = 0;
  /// From the one to the other, 0 to 1.
  double part = 0;
};

Position position_of(std::size_t samples, double q) {
  if (samples == 0) throw std::invalid_argument("a percentile needs at least one sample");
  if (!(q >= 0.0 && q <= 1.0)) throw std::invalid_argument("a percentile's fraction must be from 0 to 1");
  const double position = q * static_cast<double>(samples - 1);
  const auto below = static_cast<std::size_t>(position);
  return {below, std::min(below + 1, samples - 1), position - static_cast<double>(below)};
}

}  // namespace

double percentile_of_sorted(std::span<const double> sorted, double q) {
  const Position at = position_of(sorted.size(), q);
  if (!std::is_sorted(sorted.begin(), sorted.end()))
    throw std::invalid_argument("the samples are not sorted");
  return sorted[at.below] + at.part * (sorted[at.above] - sorted[at.below]);
}

double percentile_of(std::span<double> samples, double q) {
  const Position at = position_of(samples.size(), q);
  const auto below = samples.begin() + static_cast<std::ptrdiff_t>(at.below);
  std::nth_element(samples.begin(), below, samples.end());
  const double above = at.above == at.below ? *below : *std::min_element(below + 1, samples.end());
  return *below + at.part * (above - *below);
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
