#include "profiler/diagnose/diagnose.hpp"

#include <algorithm>
#include <iterator>

namespace tilescope {

std::vector<Diagnosis> diagnose(const DiagnosisInput& input) {
  std::vector<Diagnosis> diagnoses;
  for (const DiagnosisRule& rule : all_rules()) {
    std::vector<Diagnosis> found = rule.find(input);
    std::move(found.begin(), found.end(), std::back_inserter(diagnoses));
  }
  // Faults stay in the order of their rules, causes before what follows from them.
  std::stable_sort(diagnoses.begin(), diagnoses.end(), [](const Diagnosis& a, const Diagnosis& b) {
    if (a.severity != b.severity) return a.severity < b.severity;
    return a.severity != Severity::fault && a.cost_us.value_or(0) > b.cost_us.value_or(0);
  });
  return diagnoses;
}

std::vector<Diagnosis> diagnoses_of(const DiagnosisInput& input) {
  return input.point.diagnoses ? *input.point.diagnoses : diagnose(input);
}

}  // namespace tilescope
