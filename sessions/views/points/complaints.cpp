#include "sessions/views/points/complaints.hpp"

#include <algorithm>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

std::string as_sentence(std::string text) {
  if (text.empty()) return text;
  text = capitalised(std::move(text));
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string occurrence_words(const Finding& finding) {
  std::string text;
  if (finding.block.size() == 3) {
    text = "First in block (" + std::to_string(finding.block[0]) + ", " + std::to_string(finding.block[1]) +
           ", " + std::to_string(finding.block[2]) + ")";
  }
  if (finding.occurrences > 0) {
    text += (text.empty() ? "" : "; ") + format_count(finding.occurrences) +
            (finding.occurrences == 1 ? " occurrence" : " occurrences");
  }
  return as_sentence(std::move(text));
}

}  // namespace

std::vector<Complaint> complaints_of(const std::vector<Finding>& findings) {
  std::vector<Complaint> complaints;
  complaints.reserve(findings.size());
  for (const Finding& finding : findings) {
    complaints.push_back({finding_title(finding), as_sentence(finding.text), occurrence_words(finding),
                          is_fault(finding), finding.lines});
  }
  std::stable_sort(complaints.begin(), complaints.end(),
                   [](const Complaint& a, const Complaint& b) { return a.is_fault && !b.is_fault; });
  return complaints;
}

std::string check_summary(const Measurement& checked) {
  const auto count = static_cast<std::int64_t>(checked.findings.size());
  std::string text = count == 0   ? "No findings"
                     : count == 1 ? "1 finding"
                                  : format_count(count) + " findings";
  if (checked.memory && checked.memory->blocks_total > 0) {
    const MemoryCounts& memory = *checked.memory;
    const bool all = memory.blocks_run == memory.blocks_total;
    text += memory.blocks_total == 1
                ? " in the only block"
                : (all ? " in all " : " in " + format_count(memory.blocks_run) + " of ") +
                      format_count(memory.blocks_total) + " blocks";
  }
  return text + ".";
}

bool is_looked_for(const std::string& note) {
  return note.starts_with("Looked for: ");
}

std::string looked_for_words(const Measurement& checked) {
  const auto found = std::ranges::find_if(checked.notes, is_looked_for);
  return found == checked.notes.end() ? "" : *found;
}

}  // namespace tilescope
