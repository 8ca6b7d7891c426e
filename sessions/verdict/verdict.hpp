#pragma once

#include <optional>
#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The verdict on B, compared with A.
enum class Verdict { faster, slower, same, undecided };

/// "FASTER", "SLOWER", "SAME", "UNDECIDED"
std::string to_string(Verdict verdict);
/// Throws std::invalid_argument with the names that there are.
Verdict verdict_from(const std::string& text);

/// Where the samples of a series lie. Disturbances only add time, so that the least sample bounds a series from below;
/// the upper quartile bounds it from above without its outliers.
struct Spread {
  double least = 0;
  double median = 0;
  double upper_quartile = 0;

  bool operator==(const Spread&) const = default;
};

/// The latency of one side of a comparison.
struct JudgedSeries {
  /// [us]
  Spread us;
  /// Spread in cycles of the SM clock; none where the clock was not sampled.
  std::optional<Spread> cycles;

  bool operator==(const JudgedSeries&) const = default;
};

/// p50(a) / p50(b): above 1 B is faster. With a 95 % interval.
struct Ratio {
  double value = 1;
  double low = 1;
  double high = 1;

  bool operator==(const Ratio&) const = default;
};

/// Whether B is known to be faster or slower.
bool is_decided(Verdict verdict);

/// How far apart two medians are, whichever is larger, by their ratio: 0.05 where one is 5 % above the other.
double gap_of(double ratio);

struct Judgement {
  Verdict verdict = Verdict::undecided;
  /// Why, in a sentence.
  std::string reason;
};

/// The verdicts of the two functions below, without their reasons. `ratio` is the medians' ratio.
Verdict verdict_of(const JudgedSeries& a, const JudgedSeries& b, double ratio, double noise_floor);
Verdict verdict_of(const Ratio& predicted, bool same_machine_code);

/// The verdict on two measured series. A gap within the noise floor is SAME. FASTER and SLOWER need spreads that do not
/// meet, in time and in cycles: a clock that fell meanwhile makes a kernel slower in time alone. All else is UNDECIDED.
Judgement judge_measured(const JudgedSeries& a, const JudgedSeries& b, double ratio, double noise_floor);

/// The verdict on two predictions, by the interval of their ratio. Only equal machine code is SAME: that a model sees no
/// difference does not mean that there is none.
Judgement judge_predicted(const Ratio& ratio, bool same_machine_code);

}  // namespace tilescope
