#include <fmt/format.h>

#include <utility>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

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

// Passes of barriers that are of no use in one way, and where they are.
struct Passes {
  std::int64_t all = 0, some = 0;
  Diagnosis diagnosis;

  double share() const { return all > 0 ? static_cast<double>(some) / static_cast<double>(all) : 0; }
  bool are_notable() const { return all >= fewest_passes && share() >= notable_share; }
};

Passes passes_of(const WatchedBlock& watched, const KernelDeclaration& kernel, bool order_lanes) {
  Passes passes;
  for (const BarrierSite& site : *watched.barriers) {
    passes.all += site.passes;
    if (site.needed > 0 || (site.orders_lanes > 0) != order_lanes || site.passes < fewest_passes_of_site)
      continue;
    passes.some += site.passes;
    add_line(passes.diagnosis, site.place, kernel);
  }
  return passes;
}

const WatchedBlock* watched_barriers(const Measurement& point) {
  if (!point.memory || !point.memory->work || !point.memory->work->watched) return nullptr;
  const WatchedBlock& watched = *point.memory->work->watched;
  return watched.warps >= 2 && watched.barriers ? &watched : nullptr;
}

std::string at_lines(const std::vector<std::int64_t>& lines) {
  std::string text;
  for (const std::int64_t line : lines)
    text += fmt::format("{}{}", text.empty() ? (lines.size() == 1 ? " at line " : " at lines ") : ", ", line);
  return text;
}

Diagnosis finished(Passes passes, const DiagnosisInput& input, const char* kind, const char* what) {
  Diagnosis& diagnosis = passes.diagnosis;
  diagnosis.kind = kind;
  diagnosis.is_major = passes.share() >= major_share;
  diagnosis.severity = diagnosis.is_major ? Severity::cost : Severity::hint;
  diagnosis.text =
      fmt::format("Barriers that {}{}: {} of {} that a block passes.", what, at_lines(diagnosis.lines),
                  format_count(passes.some), format_count(passes.all));
  diagnosis.evidence += fmt::format(" Warps arrive {} times at the barriers of the grid.",
                                    format_count(input.point.memory->barriers));
  if (!diagnosis.lines.empty())
    add_saving(diagnosis, input.point, saving_without(input.point, "barriers", diagnosis.lines.front()));
  return diagnosis;
}

std::vector<Diagnosis> find_needless_barriers(const DiagnosisInput& input) {
  const WatchedBlock* watched = watched_barriers(input.point);
  if (watched == nullptr) return {};
  Passes passes = passes_of(*watched, input.kernel, false);
  if (!passes.are_notable()) return {};
  passes.diagnosis.evidence =
      "All accesses of one block to shared and global memory were looked at, with these inputs: between "
      "these barriers "
      "no thread accesses what another one wrote, or writes what another one read.";
  passes.diagnosis.repair =
      "Keep one barrier between two phases of which the second accesses what other threads accessed in the "
      "first. Look "
      "for races (--check) after each one that you take out.";
  return {finished(std::move(passes), input, "needless_barriers", "order nothing")};
}

// A thread meets only what threads of its own warp accessed: the block need not wait for that.
std::vector<Diagnosis> find_warp_level_barriers(const DiagnosisInput& input) {
  const WatchedBlock* watched = watched_barriers(input.point);
  if (watched == nullptr) return {};
  Passes passes = passes_of(*watched, input.kernel, true);
  if (!passes.are_notable()) return {};
  passes.diagnosis.evidence =
      "All accesses of one block to shared and global memory were looked at, with these inputs: between "
      "these barriers "
      "threads access what others of their own warp wrote or read, and nothing of other warps.";
  passes.diagnosis.repair =
      "Put __syncwarp() in their place, which a warp passes without waiting for the others. Without either "
      "the lanes "
      "race: look for races (--check) in the PTX, since machine code does not show it.";
  return {finished(std::move(passes), input, "warp_level_barriers", "order only the lanes of one warp")};
}

const RegisterRule register_needless_barriers{
    {.kind = "needless_barriers", .place = 9, .find = find_needless_barriers}};
const RegisterRule register_warp_level_barriers{
    {.kind = "warp_level_barriers", .place = 9, .find = find_warp_level_barriers}};

}  // namespace
}  // namespace tilescope
