#pragma once

#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// How far a point's figures may be ranked: only correct ones are, and unchecked ones where there are no others.
enum class ResultKind {
  correct,
  /// A point of a file that was compared with nothing.
  unchecked,
  /// A point of a file with a fault, such as a race.
  faulty,
  /// Not correct, or it did not run.
  incorrect,
};

ResultKind result_kind(const Measurement& point);

/// Before the words of a series: "incorrect result, "; "" for correct results.
std::string result_prefix(ResultKind kind);

}  // namespace tilescope
