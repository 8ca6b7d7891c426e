#pragma once

#include <array>
#include <optional>

#include "profiler/service/requests/compare.hpp"
#include "profiler/service/requests/measure.hpp"

namespace tilescope {

/// A side of a comparison before it is asked for, A and then B.
struct PlannedSide {
  /// None for a point that was recorded.
  std::optional<Experiment> live;
  /// Whether its point is there, or another request makes it.
  bool is_known = false;
};

/// The requests that a comparison needs: one for both sides, or one for each side without a point.
struct ComparisonPlan {
  std::optional<Compare::Params> both;
  std::array<std::optional<Measure::Params>, 2> alone;
};

/// Two live sides run in turns where that is possible, also where a point is known: turns tell more than two points.
ComparisonPlan plan_comparison(const std::array<PlannedSide, 2>& sides, bool can_run_in_turns = true);

/// The two points of an answer; where there are none, failed ones with its status and reason.
std::array<Measurement, 2> compared_points(Compare::Answer answer, const Compare::Params& asked);

}  // namespace tilescope
