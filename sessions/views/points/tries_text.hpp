#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// [us] The p50 of a result that is compared with the point's: both measured, or else both predicted. None where that
/// is not so.
std::optional<double> compared_p50(const Measurement& point, const Measurement& result);

/// Whether a tried change takes less time than the point, by more than the model can tell apart.
bool gains(const Measurement& point, const TriedChange& tried);

/// The tried changes of a point in words.
struct TriesText {
  struct Gain {
    std::string parameter;
    ParameterValue value;
    /// "NUM_WARPS=8: 184.02 µs instead of 307.10 µs, predicted"
    std::string text;
  };
  /// The best first.
  std::vector<Gain> gains;
  /// "BLOCK_N=32 (310.21 µs)", "ASYNC=1 (same program)", "STAGES=4 (compile failed)"
  std::vector<std::string> without_gain;
  /// "9 others without gain", "None of 9 changes gains"; "" for none.
  std::string without_gain_words;
  /// "Not tried yet: BLOCK_M=32, STAGES=3", "Left out after 24 tries: PERSISTENT=1"; "" where all are tried.
  std::string not_tried_words;
};
TriesText tries_text(const Measurement& point, const std::vector<TriedChange>& tries);

}  // namespace tilescope
