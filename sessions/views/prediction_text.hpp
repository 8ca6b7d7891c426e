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

/// Of a point that has both: "measured 41.80 µs, predicted 39.00 µs (-6.7 %)"; "" for others.
std::string measured_and_predicted(const Measurement& point);

/// The note of a point that says why it has no prediction, as a sentence: the words after "No prediction:". "" where no
/// note says it.
std::string why_not_predicted(const Measurement& point);

}  // namespace tilescope
