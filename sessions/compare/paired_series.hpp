#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "sessions/verdict/verdict.hpp"

namespace tilescope {

/// Two kernels that one GPU ran in turns, each made ready to run several times anew: A1 B1 A2 B2, B2 A2 B1
/// A1. Drift is in both, and A1 against A2 shows the difference that this machine cannot resolve now.
struct PairedSeries {
  JudgedSeries a, b;
  Ratio ratio;
  /// How far two runs of one binary may be apart: the far end of the 99.7 % interval of the ratio of A1 and A2, or of B1
  /// and B2, or one tick of the timer in a sample, whichever is largest. 0.004 is 0.4 %.
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
