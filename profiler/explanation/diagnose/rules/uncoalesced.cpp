#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"
#include "profiler/explanation/diagnose/site_group.hpp"

namespace tilescope {
namespace {

// With a smaller share of the kernel's sectors something else bounds it.
constexpr double notable_share = 0.1;
// Most sectors of the kernel are fetched for nothing at one place.
constexpr double major_share = 0.5;
constexpr std::size_t max_lines = 3;

std::string access_words(const std::string& operation) {
  if (operation.starts_with("st.") || operation.starts_with("wmma.store")) return "stores";
  if (operation.starts_with("ld.") || operation.starts_with("wmma.load")) return "loads";
  if (operation.starts_with("cp.async")) return "copies";
  return "accesses";
}

std::string per_request(std::int64_t sectors, const SiteGroup& group) {
  return format_number(
      static_cast<double>(sectors) / static_cast<double>(std::max<std::int64_t>(1, group.executions)), 1);
}

Diagnosis diagnosis_of(const SiteGroup& group, const std::vector<SiteGroup>& groups,
                       const Measurement& point) {
  const std::int64_t total = point.memory->global_sectors;
  const double share = static_cast<double>(group.excess) / static_cast<double>(total);
  Diagnosis diagnosis{
      "uncoalesced",
      Severity::cost,
      {},
      "",
      "",
      "Let neighbouring lanes access neighbouring addresses, or stage the data in shared memory."};
  diagnosis.is_major = share >= major_share;
  if (group.line > 0) diagnosis.lines = {group.line};
  diagnosis.inlined_place = group.inlined_place;
  diagnosis.text =
      fmt::format("Uncoalesced {} {} {}: {} global-memory sectors are excess.", access_words(group.operation),
                  group.memory.empty() ? "at" : "of", where_words(group), of_total(group.excess, total));
  diagnosis.evidence = fmt::format("{} of {} B per lane, {} requests: {} sectors per request, minimum {}.",
                                   group.operation, group.width_bytes, format_count(group.executions),
                                   per_request(group.wavefronts, group), per_request(group.minimum, group));
  add_saving(diagnosis, point, saving_of(group, groups, point, "excess_sectors"));
  return diagnosis;
}

std::vector<Diagnosis> find_uncoalesced(const DiagnosisInput& input) {
  std::vector<Diagnosis> diagnoses;
  if (!input.point.memory || input.point.memory->global_sectors <= 0) return diagnoses;
  const MemoryCounts& memory = *input.point.memory;
  const double notable = notable_share * static_cast<double>(memory.global_sectors);
  const std::vector<SiteGroup> groups = group_sites(memory, input.kernel, false);
  for (const SiteGroup& group : groups) {
    if (static_cast<double>(group.excess) < notable || diagnoses.size() == max_lines) break;
    diagnoses.push_back(diagnosis_of(group, groups, input.point));
  }
  return diagnoses;
}

const RegisterRule register_uncoalesced{{
    .kind = "uncoalesced",
    .place = 11,
    .find = find_uncoalesced,
    .cost_name = "Sectors",
    .cost = [](const Measurement& point) -> std::optional<double> {
      if (!point.memory) return std::nullopt;
      return static_cast<double>(point.memory->global_sectors);
    },
    .metric = "sector_efficiency",
    .tries = {ChangeKind::choice, ChangeKind::step},
}};

}  // namespace
}  // namespace tilescope
