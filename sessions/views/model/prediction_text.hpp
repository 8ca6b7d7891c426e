#pragma once

#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The p50 with the bounds in its unit: "12.30 µs (10.90 to 14.00)".
std::string predicted_words(const Prediction& prediction);

/// The bounds alone: "10.90 to 14.00 µs".
std::string band_words(const Prediction& prediction);

/// A relative error with its sign: "-6.7 %", "+12.0 %".
std::string signed_percent(double fraction);

/// Explains the band of a prediction, in sentences.
std::string band_help();

/// Explains the parts of a prediction, in a sentence.
inline constexpr const char* parts_exclude_each_other =
    "The predicted parts exclude each other: what overlaps is counted once, for what the warps waited for. "
    "Without the cause of a part the kernel saves more or less than the part: its warps then wait for "
    "something else, or wait less elsewhere.";

/// Largest part of a predicted time. Shares are of the sum of all parts.
struct PredictionLimit {
  /// The largest part of the work: neither an overhead (launch, block start, instruction fetch) nor the tail. "" where
  /// there is none.
  std::string work;
  double work_share = 0;
  /// "tail" or "overheads" where that takes longer than `work`, the larger of the two; else "".
  std::string besides;
  double besides_share = 0;
};
PredictionLimit prediction_limit(const Prediction& prediction);

/// In a column: "tensor, 45.0 %", or "tail, 41.0 %; work: tensor, 15.2 %". "" where no part takes any time.
std::string limit_words(const Prediction& prediction);
/// "Limited by tensor, 45.0 % of the predicted time.", or "Tail 41.0 %: the grid leaves SMs idle. Largest part of the
/// work: tensor, 15.2 %."
std::string limit_sentence(const Prediction& prediction);

/// A point that was timed against the prediction of the same experiment in another one: "71.22 µs, prediction -0.5 %",
/// with ", other source" where the kernel's file was another one.
std::string timed_words(const Measurement& predicted, const Measurement& timed);

/// Both latencies of a point that has them: "measured 41.80 µs, predicted 39.00 µs (-6.7 %)"; "" for others.
std::string measured_and_predicted(const Measurement& point);

/// The note of a point that says why it has no prediction, as a sentence: the words after "No prediction:". "" where no
/// note says it.
std::string why_not_predicted(const Measurement& point);

}  // namespace tilescope
