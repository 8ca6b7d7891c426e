#pragma once

#include <span>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The value below which the fraction `q` (0 to 1) of the samples lies, interpolated between the two nearest:
/// at position q * (n - 1) of the sorted samples, as NumPy's default and Hyndman and Fan's type 7. Throws
/// std::invalid_argument when there are no samples, when they are not sorted, or when q is not from 0 to 1.
double percentile_of_sorted(std::span<const double> sorted, double q);
/// The percentile of samples in any order, which it changes. For one or two percentiles this is faster than sorting.
double percentile_of(std::span<double> samples, double q);

/// Count, mean, sample standard deviation (n - 1; 0 for one sample) and percentiles of latencies in [us]. Other fields
/// (clock, dropped, stopped_by, launches) are not set. Throws std::invalid_argument without samples, or when one is not
/// finite.
SampleStatistics statistics_of(std::vector<double> samples_us);

/// Mean and standard deviation of a growing series in constant time each, without cancellation (Welford).
class RunningMoments {
 public:
  void add(double value);
  std::int64_t count() const { return count_; }
  double mean() const { return mean_; }
  /// Sample standard deviation (n - 1); 0 for fewer than two samples.
  double stddev() const;
  /// stddev over mean; infinity for fewer than two samples or a mean of 0, so that it never looks like convergence.
  double relative_stddev() const;

 private:
  std::int64_t count_ = 0;
  double mean_ = 0;
  /// Sum of squared distances from the mean.
  double squares_ = 0;
};

}  // namespace tilescope
