#include "profiler/service/client/comparison_plan.hpp"

#include <cstddef>
#include <utility>

namespace tilescope {

ComparisonPlan plan_comparison(const std::array<PlannedSide, 2>& sides, bool can_run_in_turns) {
  ComparisonPlan plan;
  if (sides[0].live && sides[1].live && can_run_in_turns) {
    plan.both.emplace().experiments = {*sides[0].live, *sides[1].live};
    return plan;
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].live && !sides[i].is_known) plan.alone[i].emplace().experiment = *sides[i].live;
  }
  return plan;
}

std::array<Measurement, 2> compared_points(Compare::Answer answer, const Compare::Params& asked) {
  if (answer.status == Status::ok) return {std::move(answer.a), std::move(answer.b)};
  return {failed_measurement(asked.experiments.at(0), answer.status, answer.reason),
          failed_measurement(asked.experiments.at(1), answer.status, answer.reason)};
}

}  // namespace tilescope
