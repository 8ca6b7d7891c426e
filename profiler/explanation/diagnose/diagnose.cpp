#include "profiler/explanation/diagnose/diagnose.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// Faults, then major ones of which no saving is known, then what saves most, then the others.
int place_of(const Diagnosis& diagnosis) {
  if (diagnosis.severity == Severity::fault) return 0;
  if (!diagnosis.saving) return diagnosis.is_major ? 1 : 2 + rank_of(diagnosis);
  return 2;
}

// Within one place the order of the rules stays: causes before what follows from them.
bool comes_before(const Diagnosis& a, const Diagnosis& b) {
  if (place_of(a) != place_of(b)) return place_of(a) < place_of(b);
  return a.saving && b.saving && a.saving->us > b.saving->us;
}

// The model cannot tell the saving apart from none: it is not worth advice.
bool saves_nothing(const Diagnosis& diagnosis, const Measurement& point) {
  return diagnosis.severity != Severity::fault && diagnosis.saving && !is_notable(*diagnosis.saving, point);
}

}  // namespace

bool has_ended_early(const Measurement& point) {
  return point.status == Status::launch_failed || point.status == Status::timed_out;
}

std::vector<Diagnosis> diagnose(const DiagnosisInput& input) {
  std::vector<Diagnosis> diagnoses;
  for (const DiagnosisRule& rule : all_rules()) {
    if (has_ended_early(input.point) && !rule.judges_ended_launch) continue;
    std::vector<Diagnosis> found = rule.find(input);
    std::move(found.begin(), found.end(), std::back_inserter(diagnoses));
  }
  std::erase_if(diagnoses, [&](const Diagnosis& one) { return saves_nothing(one, input.point); });
  std::ranges::stable_sort(diagnoses, comes_before);
  return diagnoses;
}

std::vector<Diagnosis> with_more(const std::vector<Diagnosis>& diagnoses, std::vector<Diagnosis> more) {
  std::erase_if(more,
                [&](const Diagnosis& one) { return std::ranges::find(diagnoses, one) != diagnoses.end(); });
  more.insert(more.end(), diagnoses.begin(), diagnoses.end());
  std::ranges::stable_sort(more, comes_before);
  return more;
}

std::vector<Diagnosis> diagnose_again(const DiagnosisInput& input) {
  std::vector<Diagnosis> others;
  if (input.point.diagnoses) {
    for (const Diagnosis& diagnosis : *input.point.diagnoses) {
      const bool needs_others = diagnosis.kind == "dead_knob" || diagnosis.kind == "equal_machine_code";
      if (needs_others || find_rule(diagnosis.kind) == nullptr) others.push_back(diagnosis);
    }
  }
  return with_more(diagnose(input), std::move(others));
}

std::string kinds_line(const std::vector<Diagnosis>& diagnoses) {
  const auto kind_words = [](std::string kind) {
    std::ranges::replace(kind, '_', ' ');
    return kind;
  };
  std::string line;
  for (const auto& [severity, heading] :
       {std::pair(Severity::fault, "Fault: "), {Severity::cost, "Cost: "}, {Severity::hint, "Hint: "}}) {
    std::vector<std::string> kinds;
    for (const Diagnosis& diagnosis : diagnoses) {
      const bool is_known = std::ranges::find(kinds, diagnosis.kind) != kinds.end();
      if (diagnosis.severity == severity && !is_known) kinds.push_back(diagnosis.kind);
    }
    if (kinds.empty()) continue;
    line += line.empty() ? heading : std::string(" ") + heading;
    for (const std::string& kind : kinds) line += (kind == kinds.front() ? "" : ", ") + kind_words(kind);
    line += ".";
  }
  return line;
}

std::vector<Diagnosis> diagnoses_of(const DiagnosisInput& input) {
  return input.point.diagnoses ? *input.point.diagnoses : diagnose(input);
}

}  // namespace tilescope
