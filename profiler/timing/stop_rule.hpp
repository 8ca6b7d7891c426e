#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "profiler/timing/statistics.hpp"

namespace tilescope {

/// When a series of samples is long enough, and which samples count.
struct StopRuleOptions {
  std::int64_t min_samples = 10;
  double budget_s = 0.5;               ///< [s] At least so long, unless the time limit is shorter.
  double max_relative_stddev = 0.005;  ///< Converged at or under it.
  double time_limit_s = 2.0;           ///< [s] Ends the series whatever it has.
  double default_clock_mhz = 0;        ///< [MHz] 0 where it is unknown: no sample is then dropped.
  double min_clock_fraction = 0.75;    ///< A sample under this part of the default clock is dropped.
};

/// Decides after every sample: at least 10 of them, then until the budget is spent and their relative
/// standard deviation is at most 0.5% ("converged"), or that deviation itself has become stable
/// ("stable_noise": some kernels are noisy and never converge), or the time limit ("time_limit").
///
/// A sample whose SM clock is under 75% of the default clock was taken on a GPU that was waking up or
/// throttling, and is dropped. A power-capped GPU (an L4 at 72 W) however may run a kernel at such a clock
/// for good: when 20 samples were dropped and they outnumber the kept ones, the low clock is what that
/// machine does, they are taken back and nothing is dropped any more; runs_below_default_clock() then says
/// so.
class StopRule {
 public:
  explicit StopRule(StopRuleOptions options) : options_(options) {}

  /// `sm_clock_mhz` is 0 where it could not be sampled: the sample is then kept.
  void add(double sample_us, double sm_clock_mhz);
  /// Why to stop now, `spent_s` after the series began, or nothing to go on. Never before there is one sample
  /// to show: at the time limit the dropped ones are taken back when fewer than two samples were kept.
  std::optional<std::string> why_stop(double spent_s);

  /// The samples that count, their clocks summed up as the median, and how many were dropped.
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
  std::deque<double> noise_;  ///< The relative standard deviation after each of the last samples.
  bool takes_low_clocks_ = false;
};

}  // namespace tilescope
