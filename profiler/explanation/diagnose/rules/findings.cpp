#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// The sentences of races and of early and uninitialised reads say it themselves.
std::string repair_words(const std::string& kind) {
  if (kind == "global_race")
    return "Order the accesses: a barrier within a block, atomics or __threadfence() with an atomic between "
           "blocks.";
  if (kind == "absent_lane")
    return "Let all lanes that are read take part, or choose between the values by the lane's number.";
  if (kind == "member_mask") return "Give all lanes of the mask the same mask, which names each of them.";
  if (kind == "unwritten_output") return "Check the index and the grid: some elements belong to no thread.";
  if (kind == "wrong_value")
    return "Step through the block that wrote it, to that line (`tilescope step`), and look at the values "
           "that it is made of.";
  if (kind == "first_nan")
    return "Look at the numbers that the line gets: a sum of zero, a maximum of -inf, a negative variance.";
  if (kind == "out_of_bounds") return "Guard the access with the size of the memory.";
  if (kind == "misaligned") return "Access at multiples of the width, or with narrower loads and stores.";
  if (kind == "divergent_barrier" || kind == "deadlock")
    return "Let all threads of the block reach every barrier equally often.";
  if (kind == "read_only") return "Store to memory that the kernel may write.";
  if (kind == "trap") return "Look at what the line tests: it ends the kernel on purpose.";
  if (kind == "livelock" || kind == "instruction_budget")
    return "Let the condition of the loop become false: another thread or block must be able to change it.";
  if (kind == "stack_overflow") return "Limit the depth of the calls, or the local variables of each.";
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

const RegisterRule register_findings{
    {.kind = "findings", .place = 1, .find = find_findings, .judges_ended_launch = true}};

}  // namespace
}  // namespace tilescope
