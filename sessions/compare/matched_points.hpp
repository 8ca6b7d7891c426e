#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "sessions/session.hpp"

namespace tilescope {

/// A point of each of two sessions, of one experiment: kernel, parameters, shape, device, compiler.
struct MatchedPoints {
  SharedMeasurement a, b;
};

struct Matches {
  /// In the order of `b`.
  std::vector<MatchedPoints> pairs;
  /// Points without a counterpart in the other session.
  std::vector<SharedMeasurement> only_a, only_b;
};

/// Pairs the points of two sessions. Where a session has several points of one experiment, the newest one with a
/// latency stands for it, or else the newest.
Matches match_points(const Session& a, const Session& b);

}  // namespace tilescope
