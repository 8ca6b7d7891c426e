#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"

namespace tilescope {

/// The latencies of one side. All times in [us].
struct Distribution {
  enum class Kind {
    none,
    /// Samples of turns: a histogram and a box.
    samples,
    /// Percentiles of a series: a box.
    percentiles,
    /// Band of a prediction: a box without quartiles.
    band,
  };
  Kind kind = Kind::none;
  bool is_recorded = false;
  /// "240 samples in turns", "recorded, 1,000 samples", "predicted band"
  std::string origin;
  /// Minimum to p90; p10 to p90 where no more is known, of a prediction its band.
  double low_us = 0, high_us = 0;
  /// The quartiles; both the median where they are not known.
  double q1_us = 0, q3_us = 0;
  double median_us = 0;
  /// Shares of all samples in each of Distributions::edges' bins.
  std::vector<double> shares;

  bool has_quartiles() const { return q3_us > q1_us; }
};

/// Two distributions on one axis.
struct Distributions {
  Distribution a, b;
  /// Edges of the bins, common to both; empty without samples.
  std::vector<double> edges;
  /// The largest share of a bin.
  double most = 0;
  /// Samples above the axis, of both.
  std::size_t beyond = 0;
  double begin_us = 0, end_us = 1;
  std::vector<double> ticks;

  bool empty() const { return a.kind == Distribution::Kind::none && b.kind == Distribution::Kind::none; }
};

Distributions distributions_of(const Comparison& comparison);

/// The boxes, then a line for each bin.
std::string distributions_csv(const Distributions& distributions);

}  // namespace tilescope
