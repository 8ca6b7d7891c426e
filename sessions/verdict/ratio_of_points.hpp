#pragma once

#include <optional>

#include "sessions/verdict/verdict.hpp"

namespace tilescope {

/// A measured or recorded latency for a verdict. Nothing where no samples are known, as of many imported points.
std::optional<JudgedSeries> judged_series(const Latency& latency);

/// The ratio of two medians that were measured apart. The interval assumes independent medians of normal samples: the
/// standard error of a median is 1.2533 sigma / sqrt(n), and sigma is the interquartile range over 1.349. Nothing where
/// one of them has no samples.
std::optional<Ratio> ratio_of(const Latency& a, const Latency& b);

/// Noise of two series that were measured apart: the smaller of their relative spreads (interquartile range
/// over 1.349, as in nvbench's comparison), or one tick of the timer in a sample, whichever is larger.
double noise_of(const Latency& a, const Latency& b);

/// The ratio of two predicted latencies, with the interval of held-out ratios: of one kernel's configurations, or of two
/// kernels. A prediction that does not know its error of ratios has the interval of both bands.
Ratio ratio_of(const Prediction& a, const Prediction& b, bool same_kernel);

}  // namespace tilescope
