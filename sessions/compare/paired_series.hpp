#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/compare/verdict.hpp"

namespace tilescope {

/// Two kernels that one GPU ran in turns, A B A' A' B A, where A' is a second run of A's binary: what drifts meanwhile is
/// in both, and A against A' says what this machine cannot tell apart now.
struct PairedSeries {
  JudgedSeries a, b;
  Ratio ratio;
  /// How far A and A' may be apart: the far end of the 99.7 % interval of their ratio, or one tick of the timer in a
  /// sample, whichever is larger. 0.004 is 0.4 %.
  double noise_floor = 0;
  std::int64_t rounds = 0;
  /// [us] A launch in each sample, in the order of time.
  std::vector<double> samples_a, samples_b;

  bool operator==(const PairedSeries&) const = default;
};

/// For the worker's answer. Reading throws DocumentError.
void to_json(Json& json, const PairedSeries& series);
void from_json(const Json& json, PairedSeries& series);

}  // namespace tilescope
