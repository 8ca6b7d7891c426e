#pragma once

#include <string>
#include <vector>

#include "profiler/explanation/diagnose/rule.hpp"
#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// How many changes are counted for one diagnosis.
inline constexpr std::size_t max_alternatives = 6;

/// Effect of changing one parameter on a diagnosis, as counted.
struct Alternative {
  ParameterChange change;
  /// "SMEM_LAYOUT=xor_swizzle: 0.2 % bank conflicts"; for a point that failed "FAULT=on: incorrect result".
  std::string text;
  /// Whether it repairs at least a part: less of the rule's cost, a better metric, a correct result.
  bool helps = false;
  /// The rule's cost; none for a point that failed.
  std::optional<double> cost;
};

/// The changes that are worth counting for a diagnosis, the most promising first: at most max_alternatives.
std::vector<ParameterChange> alternatives_to_count(const DiagnosisRule& rule, const DiagnosisInput& input);

/// Judges a change by the point that came of it.
Alternative judge_alternative(const DiagnosisRule& rule, const Measurement& base,
                              const ParameterChange& change, const Measurement& counted);

/// One figure before and after a change.
struct Worth {
  std::string label;
  std::string before;
  std::string now;
  Tone tone = Tone::plain;
};

/// Worth of a repair: the rule's metric and its cost, occupancy and latency, each if both points have it. The
/// price follows: registers, shared memory and spills where they changed.
std::vector<Worth> worth_of(const DiagnosisRule& rule, const Measurement& before, const Measurement& now);

/// "Before: 74.1 % bank conflicts; now 0.2 %."; "" where one of the points does not have the rule's metric.
std::string worth_sentence(const DiagnosisRule& rule, const Measurement& before, const Measurement& now);

}  // namespace tilescope
