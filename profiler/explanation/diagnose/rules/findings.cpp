#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// The sentences of races and of early and uninitialised reads say it themselves.
std::string repair_words(const std::string& kind) {
  if (kind == "out_of_bounds") return "Guard the access with the size of the memory.";
  if (kind == "misaligned") return "Access at multiples of the width, or with narrower loads and stores.";
  if (kind == "divergent_barrier" || kind == "deadlock")
    return "Let all threads of the block reach every barrier equally often.";
  return "";
}

// Diagnoses of the checkers' findings, with the findings' kinds.
std::vector<Diagnosis> find_findings(const DiagnosisInput& input) {
  std::vector<Diagnosis> diagnoses;
  for (const Finding& finding : input.point.findings) {
    if (!is_fault(finding)) continue;
    Diagnosis diagnosis{finding.kind, Severity::fault,           finding.lines, finding.text,
                        "",           repair_words(finding.kind)};
    if (finding.occurrences > 0)
      diagnosis.evidence =
          fmt::format("Seen {} times in the blocks that ran.", format_count(finding.occurrences));
    diagnoses.push_back(std::move(diagnosis));
  }
  return diagnoses;
}

const RegisterRule register_findings{{.kind = "findings", .place = 1, .find = find_findings}};

}  // namespace
}  // namespace tilescope
