#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"
#include "profiler/explanation/diagnose/site_group.hpp"

namespace tilescope {
namespace {

// With a smaller share of the kernel's wavefronts something else bounds it.
constexpr double notable_share = 0.05;
// Most wavefronts of the kernel are conflicts at one place: its layout does not fit its accesses.
constexpr double major_share = 0.5;
constexpr std::size_t max_lines = 3;

// "8-way conflict on", "Up to 4-way conflict on"; without a degree "Bank conflicts on".
std::string degree_words(const SiteGroup& group) {
  if (group.is_past_l1) return "Copies past L1 in more wavefronts than needed";
  if (group.worst_degree < 2) return "Bank conflicts";
  return fmt::format("{}{}-way conflict", group.degrees.size() > 1 ? "Up to " : "", group.worst_degree);
}

// Names no parameter: which of them repairs it is known once they are tried.
std::string repair_words(const SiteGroup& group) {
  if (group.is_past_l1) {
    return "Let neighbouring lanes copy neighbouring 16 B, whole lines of 128 B, to rows that begin at a "
           "multiple of 32 B: a padding of 16 B cuts sectors in two.";
  }
  if (group.operation.starts_with("atom") || group.operation.starts_with("red")) {
    return "Atomics on one word follow each other, and a padding does not help: let a warp add up its lanes "
           "first, or give each warp words of its own.";
  }
  return fmt::format(
      "Pad the rows{}, or swizzle them: XOR the place of an element within its row with the row's number.",
      group.memory.empty() ? "" : " of " + group.memory);
}

Diagnosis diagnosis_of(const SiteGroup& group, const std::vector<SiteGroup>& groups,
                       const DiagnosisInput& input) {
  const std::int64_t total = input.point.memory->shared_wavefronts;
  const double share = static_cast<double>(group.excess) / static_cast<double>(total);
  Diagnosis diagnosis{"bank_conflicts", Severity::cost, {}, "", "", repair_words(group)};
  diagnosis.is_major = share >= major_share;
  if (group.line > 0) diagnosis.lines = {group.line};
  diagnosis.inlined_place = group.inlined_place;
  diagnosis.text =
      fmt::format("{} {} {}: {} shared-memory wavefronts are excess.", degree_words(group),
                  group.memory.empty() ? "at" : "on", where_words(group), of_total(group.excess, total));
  diagnosis.evidence = fmt::format(
      "{} of {} B per lane, executed {} times: {} wavefronts, minimum {}; {} of all shared-memory "
      "wavefronts of the kernel are excess here.",
      group.operation, group.width_bytes, format_count(group.executions), format_count(group.wavefronts),
      format_count(group.minimum), format_percent(share));
  add_saving(diagnosis, input.point, saving_of(group, groups, input.point, "bank_conflicts"));
  return diagnosis;
}

// The diagnosis of counts that name no access site, such as the GPU's counters.
Diagnosis diagnosis_without_lines(const DiagnosisInput& input) {
  const MemoryCounts& memory = *input.point.memory;
  const bool are_most = static_cast<double>(memory.shared_conflicts) >=
                        major_share * static_cast<double>(memory.shared_wavefronts);
  return {.kind = "bank_conflicts",
          .severity = Severity::cost,
          .lines = {},
          .text = "Bank conflicts: " + of_total(memory.shared_conflicts, memory.shared_wavefronts) +
                  " shared-memory wavefronts are excess.",
          .evidence = fmt::format("{} wavefronts, minimum {}; the counts name no source line.",
                                  format_count(memory.shared_wavefronts),
                                  format_count(memory.shared_wavefronts_minimum)),
          .repair = repair_words({}),
          .is_major = are_most};
}

std::vector<Diagnosis> find_bank_conflicts(const DiagnosisInput& input) {
  std::vector<Diagnosis> diagnoses;
  if (!input.point.memory || input.point.memory->shared_wavefronts <= 0) return diagnoses;
  const MemoryCounts& memory = *input.point.memory;
  const double notable = notable_share * static_cast<double>(memory.shared_wavefronts);
  const std::vector<SiteGroup> groups = group_sites(memory, input.kernel, true);
  for (const SiteGroup& group : groups) {
    if (static_cast<double>(group.excess) < notable || diagnoses.size() == max_lines) break;
    diagnoses.push_back(diagnosis_of(group, groups, input));
  }
  if (memory.sites.empty() && static_cast<double>(memory.shared_conflicts) >= notable) {
    diagnoses.push_back(diagnosis_without_lines(input));
  }
  return diagnoses;
}

const RegisterRule register_bank_conflicts{{
    .kind = "bank_conflicts",
    .place = 14,
    .find = find_bank_conflicts,
    .cost_name = "Wavefronts",
    .cost = [](const Measurement& point) -> std::optional<double> {
      if (!point.memory) return std::nullopt;
      return static_cast<double>(point.memory->shared_wavefronts);
    },
    .metric = "bank_conflicts",
    .tries = {ChangeKind::layout, ChangeKind::choice, ChangeKind::step},
}};

}  // namespace
}  // namespace tilescope
