#pragma once

#include <string>
#include <vector>

#include "profiler/explanation/diagnose/rule.hpp"
#include "sessions/metrics/metric.hpp"

namespace tilescope {

/// Whether a change repairs at least a part of what the rule found: the result is correct, costs less by the rule's own
/// figure, and its metric is better.
bool repairs(const DiagnosisRule& rule, const Measurement& before, const Measurement& now);

/// "0.2 % bank conflicts": a result by the rule's metric; "" where it has none.
std::string metric_words(const DiagnosisRule& rule, const Measurement& now);

/// One figure before and after a change.
struct Worth {
  std::string label;
  std::string before;
  std::string now;
  Tone tone = Tone::plain;
};

/// Worth of a change: the rule's metric and its cost, occupancy and latency, each if both points have it. The price
/// follows: registers, shared memory and spills where they changed. `rule` nullptr: the change repairs no diagnosis.
std::vector<Worth> worth_of(const DiagnosisRule* rule, const Measurement& before, const Measurement& now);

/// "Before: 74.1 % bank conflicts; now 0.2 %."; "" where there is no rule or a point does not have its metric.
std::string worth_sentence(const DiagnosisRule* rule, const Measurement& before, const Measurement& now);

}  // namespace tilescope
