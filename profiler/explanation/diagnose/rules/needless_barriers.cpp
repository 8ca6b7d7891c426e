#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/cost.hpp"
#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// A loop of several phases may have a barrier that this configuration alone does not need: of four phases one is a
// quarter, of three a third, and one within a phase may be two thirds. Where three of four order nothing, barriers were
// put everywhere.
constexpr double notable_share = 0.34;
constexpr double major_share = 0.75;
// Fewer show too little of the kernel.
constexpr std::int64_t fewest_passes = 8;
constexpr std::int64_t fewest_passes_of_site = 2;

std::vector<Diagnosis> find_needless_barriers(const DiagnosisInput& input) {
  const auto& memory = input.point.memory;
  if (!memory || !memory->work || !memory->work->watched) return {};
  const WatchedBlock& watched = *memory->work->watched;
  if (watched.warps < 2 || !watched.barriers) return {};
  std::int64_t passes = 0, needless = 0;
  Diagnosis diagnosis{
      "needless_barriers",
      Severity::hint,
      {},
      "",
      "",
      "Keep one barrier between two phases of which the second accesses what other warps accessed "
      "in the first. Run trace --check after each one that you take out."};
  std::string places;
  for (const BarrierSite& site : *watched.barriers) {
    passes += site.passes;
    if (site.needed > 0 || site.passes < fewest_passes_of_site) continue;
    needless += site.passes;
    add_line(diagnosis, site.place, input.kernel);
  }
  const double share = passes > 0 ? static_cast<double>(needless) / static_cast<double>(passes) : 0;
  if (passes < fewest_passes || share < notable_share) return {};
  if (share >= major_share) {
    diagnosis.severity = Severity::cost;
    diagnosis.is_major = true;
  }
  for (const std::int64_t line : diagnosis.lines)
    places += fmt::format("{}{}", places.empty() ? "" : ", ", line);
  diagnosis.text = fmt::format("Barriers that order nothing{}{}: {} of {} that a block passes.",
                               places.empty()                ? ""
                               : diagnosis.lines.size() == 1 ? " at line "
                                                             : " at lines ",
                               places, format_count(needless), format_count(passes));
  diagnosis.evidence = fmt::format(
      "Of the block that was watched, with these inputs: between them no warp accesses what another one "
      "wrote, "
      "or writes what another one read. Warps arrive {} times at the barriers of the grid.",
      format_count(memory->barriers));
  add_cost(diagnosis, input.point, {"barriers"}, share);
  return {diagnosis};
}

const RegisterRule register_needless_barriers{
    {.kind = "needless_barriers", .place = 9, .find = find_needless_barriers}};

}  // namespace
}  // namespace tilescope
