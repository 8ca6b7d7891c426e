#pragma once

#include <string>
#include <vector>

/// How far predictions are from measurements.
namespace tilescope::model {

/// A measured point with what several models say of it. Times in [us].
struct JudgedPoint {
  std::string kernel, shape, limiter;
  double measured = 0;
  double predicted = 0, low = 0, high = 0;
  /// With the datasheet's numbers alone.
  double by_datasheet = 0;
  /// The baselines: the larger of FLOP over the peak and bytes over DRAM's bandwidth, and instructions over the issue rate.
  double by_roofline = 0, by_issue_rate = 0;
  /// [ms] that the prediction took.
  double milliseconds = 0;
};

/// Summary of |predicted / measured - 1|.
struct ErrorSummary {
  double mean = 0, p90 = 0;
};
ErrorSummary summarise(const std::vector<JudgedPoint>& points, double JudgedPoint::*prediction);
/// The part of the points whose measured latency lies in the band, 0 to 1.
double share_inside(const std::vector<JudgedPoint>& points);

/// Ranks of the configurations of one kernel and shape.
struct RankSummary {
  /// Spearman's rank correlation of predicted and measured latency, the mean over kernels and shapes and the least.
  double mean_correlation = 0, least_correlation = 0;
  /// The measured latency of the configuration that is predicted to be the best, over the best configuration's, minus
  /// 1.
  double mean_regret = 0, most_regret = 0;
};
RankSummary rank(const std::vector<JudgedPoint>& points);

/// Errors of predicted ratios of two latencies at one shape: the natural logarithm of the factor that 95 % of them are
/// within of the measured ratio. 0 where there are no pairs.
struct RatioSummary {
  double same_kernel = 0, kernels = 0;
};
RatioSummary summarise_ratios(const std::vector<JudgedPoint>& points, double JudgedPoint::*prediction);

/// Equal values share the mean of their ranks. 1 where there are fewer than two values.
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tilescope::model
