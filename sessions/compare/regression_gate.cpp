#include "sessions/compare/regression_gate.hpp"

#include <algorithm>
#include <array>

#include "base/enum_names.hpp"
#include "base/text/format.hpp"
#include "sessions/compare/comparison_text.hpp"

namespace tilescope {
namespace {

constexpr EnumNames<GateOutcome, 6> outcomes{{{GateOutcome::regressed, "regressed"},
                                              {GateOutcome::broken, "broken"},
                                              {GateOutcome::improved, "improved"},
                                              {GateOutcome::unchanged, "unchanged"},
                                              {GateOutcome::undecided, "undecided"},
                                              {GateOutcome::cannot_decide, "cannot decide"}}};

Measurement scaled(Measurement point, double factor) {
  Latency& latency = *point.latency;
  for (double* us : {&latency.p10_us, &latency.p50_us, &latency.p90_us}) *us *= factor;
  if (!latency.l2_warm) return point;
  SampleStatistics& series = *latency.l2_warm;
  for (double* us : {&series.mean_us, &series.stddev_us, &series.min_us, &series.p10_us, &series.q1_us,
                     &series.p50_us, &series.q3_us, &series.p90_us, &series.max_us})
    *us *= factor;
  return point;
}

GateOutcome outcome_of(const Comparison& comparison, double max_regression) {
  switch (comparison.verdict) {
    case Verdict::faster:
      return GateOutcome::improved;
    case Verdict::slower:
      return gap_of(comparison.ratio->value) > max_regression ? GateOutcome::regressed
                                                              : GateOutcome::unchanged;
    case Verdict::same:
      return GateOutcome::unchanged;
    case Verdict::undecided:
      break;
  }
  return GateOutcome::undecided;
}

GatedPoint judged(const MatchedPoints& pair, double max_regression) {
  GatedPoint point{compare(*pair.a, *pair.b), GateOutcome::undecided, ""};
  if (pair.a->status == Status::ok && pair.b->status != Status::ok && is_about_the_kernel(pair.b->status)) {
    point.outcome = GateOutcome::broken;
    return point;
  }
  if (point.comparison.basis != Basis::apart) {
    point.why_not_decided = "It has no measured latency in both sessions.";
  } else {
    point.why_not_decided = why_self_test_fails(*pair.a);
    if (point.why_not_decided.empty()) point.why_not_decided = why_self_test_fails(*pair.b);
  }
  point.outcome = point.why_not_decided.empty() ? outcome_of(point.comparison, max_regression)
                                                : GateOutcome::cannot_decide;
  return point;
}

std::vector<std::string> names_of(const std::vector<SharedMeasurement>& points) {
  std::vector<std::string> names;
  names.reserve(points.size());
  for (const auto& point : points) names.push_back(experiment_name(*point));
  return names;
}

}  // namespace

std::string experiment_name(const Measurement& point) {
  return point.kernel + " " + to_string(point.parameters) + " " + problem_words(point) + " " +
         point.device.name;
}

std::string to_string(GateOutcome outcome) {
  return name_of(outcome, outcomes);
}

std::size_t GateReport::count(GateOutcome outcome) const {
  return static_cast<std::size_t>(std::ranges::count(points, outcome, &GatedPoint::outcome));
}

std::string why_self_test_fails(const Measurement& point) {
  constexpr std::array<std::pair<double, Verdict>, 3> expected{
      {{self_test_factor, Verdict::slower}, {1 / self_test_factor, Verdict::faster}, {1, Verdict::same}}};
  for (const auto& [factor, verdict] : expected) {
    const Comparison comparison = compare(point, scaled(point, factor));
    if (comparison.verdict == verdict) continue;
    const std::string change =
        factor == 1 ? "A copy of it"
                    : "The same samples, " + std::string(factor > 1 ? "slowed down" : "sped up") + " by 5 %,";
    return change + " would read " + to_string(comparison.verdict) + ". " + comparison.reason;
  }
  return "";
}

GateReport gate(const Session& baseline, const Session& current, double max_regression) {
  const Matches matches = match_points(baseline, current);
  GateReport report;
  report.max_regression = max_regression;
  report.only_in_baseline = names_of(matches.only_a);
  report.only_in_current = names_of(matches.only_b);
  report.points.reserve(matches.pairs.size());
  for (const MatchedPoints& pair : matches.pairs) report.points.push_back(judged(pair, max_regression));
  return report;
}

}  // namespace tilescope
