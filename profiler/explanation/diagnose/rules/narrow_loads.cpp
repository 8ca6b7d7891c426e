#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// [B] per lane: a load moves up to 16.
constexpr std::int64_t narrow_bytes = 4;
constexpr double widest_bytes = 16;
// A warp that comes here less often has not enough elements for wider loads.
constexpr double fewest_per_warp = 4;
// Share of the kernel's instructions that wider loads would save.
constexpr double notable_share = 0.02;
// Share of the sectors' bytes that the lanes use: neighbouring lanes load neighbouring elements.
constexpr double neighbouring_share = 0.75;
// Active lanes: one lane that loads one number cannot load it with its neighbours.
constexpr double fewest_lanes = 8;

bool is_narrow(const MemorySite& site) {
  const bool loads = site.operation.starts_with("ld.global") || site.operation == "cp.async.global";
  if (!loads || site.width_bytes <= 0 || site.width_bytes > narrow_bytes || site.executions <= 0)
    return false;
  const double used = static_cast<double>(site.lanes * site.width_bytes);
  return static_cast<double>(site.lanes) >= fewest_lanes * static_cast<double>(site.executions) &&
         used >= neighbouring_share * 32 * static_cast<double>(site.wavefronts);
}

// The warp instructions that loads of 16 B would save.
double saved(const MemorySite& site) {
  return static_cast<double>(site.executions) * (1 - static_cast<double>(site.width_bytes) / widest_bytes);
}

std::vector<Diagnosis> find_narrow_loads(const DiagnosisInput& input) {
  const auto& memory = input.point.memory;
  if (!memory || !memory->work || !memory->work->watched || memory->warp_instructions <= 0) return {};
  const double warps = static_cast<double>(memory->blocks_total * memory->work->watched->warps);
  const MemorySite* worst = nullptr;
  double sum = 0;
  for (const MemorySite& site : memory->sites) {
    if (!is_narrow(site) || static_cast<double>(site.executions) < fewest_per_warp * warps) continue;
    sum += saved(site);
    if (worst == nullptr || saved(site) > saved(*worst)) worst = &site;
  }
  const double share = sum / static_cast<double>(memory->warp_instructions);
  if (worst == nullptr || share < notable_share) return {};
  const InstructionPlace place{worst->line, worst->file, worst->inlined};
  Diagnosis diagnosis{"narrow_loads",
                      Severity::hint,
                      {},
                      "",
                      "",
                      "Let a lane load 16 B of neighbouring elements at once, as a vector."};
  diagnosis.text =
      fmt::format("Narrow loads{}{}: a lane loads {} B where neighbouring elements would make 16 B.",
                  worst->tile.empty() ? "" : " of " + worst->tile, at_place_words(place, input.kernel),
                  worst->width_bytes);
  add_line(diagnosis, place, input.kernel);
  diagnosis.evidence =
      fmt::format("{} loads of {} B per lane; loads of 16 B would save {} of the warp instructions.",
                  format_count(worst->executions), worst->width_bytes, format_percent(share));
  add_saving(diagnosis, input.point, saving_without(input.point, "narrow_loads"));
  return {diagnosis};
}

const RegisterRule register_narrow_loads{{.kind = "narrow_loads", .place = 30, .find = find_narrow_loads}};

}  // namespace
}  // namespace tilescope
