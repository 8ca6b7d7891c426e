#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sessions/sample_statistics.hpp"

namespace tilescope {

/// Decides when a series of samples is long enough, and which samples count.
struct StopRuleOptions {
  std::int64_t min_samples = 10;
  /// [s] Minimum time of a series, unless the time limit is shorter.
  double budget_s = 0.5;
  /// Converged at or below this value.
  double max_relative_stddev = 0.005;
  /// [s] Maximum time of a series.
  double time_limit_s = 2.0;
  /// [MHz] 0 if unknown: no sample is then dropped.
  double default_clock_mhz = 0;
  /// A sample below this fraction of the default clock is dropped.
  double min_clock_fraction = 0.75;
};

/// Decides after every sample. A series has at least 10 samples, and ends when the budget is spent and their relative
/// standard deviation is at most 0.5% ("converged") or has itself become stable ("stable_noise": some kernels are noisy
/// and never converge), or at the time limit ("time_limit").
///
/// A sample whose SM clock is under 75% of the default clock was taken on a GPU that was waking up or throttling, and
/// is dropped. But a power-capped GPU (an L4 at 72 W) may run a kernel at such a clock permanently: when 20 samples
/// were dropped and outnumber the kept ones, they are restored, nothing is dropped any more, and
/// runs_below_default_clock() is true.
class StopRule {
 public:
  explicit StopRule(StopRuleOptions options) : options_(options) {}

  /// `sm_clock_mhz` is 0 when it could not be sampled; the sample is then kept.
  void add(double sample_us, double sm_clock_mhz);
  /// The reason to stop now, `spent_s` after the series began, or nothing to continue. Never stops without a sample: at
  /// the time limit the dropped ones are restored when fewer than two samples were kept.
  std::optional<std::string> why_stop(double spent_s);

  /// The samples that count, the median of their clocks, and how many were dropped.
  SampleStatistics statistics() const;
  bool runs_below_default_clock() const { return takes_low_clocks_; }

 private:
  struct Sample {
    double us;
    double clock_mhz;
  };
  void keep(Sample sample);
  void take_back_dropped();
  bool noise_is_stable() const;

  StopRuleOptions options_;
  std::vector<Sample> kept_;
  std::vector<Sample> dropped_;
  RunningMoments moments_;
  /// The relative standard deviation after each of the last samples.
  std::deque<double> noise_;
  bool takes_low_clocks_ = false;
};

}  // namespace tilescope
