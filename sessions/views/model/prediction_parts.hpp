#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// One part of a predicted latency.
struct PartShare {
  std::string name;
  double microseconds = 0;
  /// Share of the sum of all parts, 0 to 1.
  double share = 0;
  /// [us] Where it begins when the parts stand one behind the other.
  double begin_us = 0;
};

/// Where the predicted time of a point goes, beside its roofline time and its measured latency. All times in [us].
struct PartsView {
  /// In the model's order, without parts that take no time.
  std::vector<PartShare> parts;
  /// Into `parts`, the largest first.
  std::vector<std::size_t> by_size;
  double p50_us = 0;
  double low_us = 0;
  double high_us = 0;
  std::optional<double> roofline_us;
  struct Measured {
    double p10_us = 0;
    double p50_us = 0;
    double p90_us = 0;
  };
  std::optional<Measured> measured;
  /// Where an axis that begins at 0 ends: beyond all of these.
  double end_us = 1;
  /// Round values from 0, up to `end_us`.
  std::vector<double> ticks;
  /// Set where another point's latency is `measured`: "71.22 µs, prediction -0.5 %"; "" where the point itself was
  /// timed, or none was.
  std::string timed;
  /// "Predicted 39.00 µs (35.00 to 43.00), measured 41.80 µs: -6.7 %"
  std::string heading;
  /// "Limited by tensor, 45.0 % of the predicted time. The roofline time is 12.00 µs: 31 % of the prediction.", with
  /// limit_sentence() first.
  std::string summary;
};

/// Nothing for a point without a prediction. `timed` is find_timed() of a point that was not timed itself.
std::optional<PartsView> prediction_parts(const Measurement& point, const Measurement* timed = nullptr);

/// Why a point has no prediction, in a sentence: its note that starts with "No prediction:", how it ended, or that no
/// model looked at it.
std::string no_prediction_words(const Measurement& point);

}  // namespace tilescope
