#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/compare/comparison.hpp"

namespace tilescope {

/// A source line and its predicted time on both sides, 0 where it is not executed.
struct LineChange {
  /// As in LineTime.
  std::int64_t line = 0;
  std::string inlined_place;
  /// [us]
  double a_us = 0, b_us = 0;

  double microseconds() const { return b_us - a_us; }
  bool operator==(const LineChange&) const = default;
};

/// "120", "element.cuh:84"; "-" where the line is not known.
std::string place_text(const LineChange& change);

/// Lines of one source whose predicted time differs by a notable part of the latency, the largest difference first.
struct LineChanges {
  std::vector<LineChange> lines;
  /// Why none is shown, in a sentence; "" where some are, and where it is not said.
  std::string why_none;
};

/// Needs a difference that is decided and goes the way that the model predicts, and the times of lines on both sides.
LineChanges line_changes(const Comparison& comparison);

}  // namespace tilescope
