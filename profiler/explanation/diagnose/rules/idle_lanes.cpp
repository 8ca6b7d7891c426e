#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// Below this share of active lanes. The ladder's tiled kernels reach 94 % and more.
constexpr double busy_share = 0.75;

// Leaves lanes that another branch keeps busy meanwhile to the rule divergence.
std::vector<Diagnosis> find_idle_lanes(const DiagnosisInput& input) {
  if (!input.point.memory || !input.point.memory->work || input.point.memory->warp_instructions <= 0)
    return {};
  const MemoryCounts& memory = *input.point.memory;
  const ExecutedWork& work = *memory.work;
  const double instructions =
      static_cast<double>(memory.warp_instructions) - static_cast<double>(work.serialised_instructions);
  const double busy = instructions > 0 ? static_cast<double>(work.lane_instructions) / 32 / instructions : 1;
  if (busy >= busy_share || work.partial_lanes.empty()) return {};
  const PartialLanes& most = work.partial_lanes.front();
  Diagnosis diagnosis{
      "idle_lanes",
      Severity::cost,
      {},
      "",
      "",
      "Deal the work to all lanes of a warp: by elements instead of by rows, or several rows to "
      "a warp."};
  diagnosis.text = fmt::format(
      "Of the 32 lanes of a warp {} are idle on average, most{}.", format_number(32 * (1 - busy), 1),
      at_place_words(most.place, input.kernel).empty() ? " in few places"
                                                       : at_place_words(most.place, input.kernel));
  for (const PartialLanes& lanes : work.partial_lanes) add_line(diagnosis, lanes.place, input.kernel);
  diagnosis.evidence =
      fmt::format("{} warp instructions with {} active lanes; there {} with {} of 32 lanes.",
                  format_count(memory.warp_instructions), format_count(work.lane_instructions),
                  format_count(most.instructions),
                  format_number(static_cast<double>(most.lanes) /
                                    static_cast<double>(std::max<std::int64_t>(1, most.instructions)),
                                1));
  add_saving(diagnosis, input.point, saving_of_work(input.point, 1 - busy));
  return {diagnosis};
}

const RegisterRule register_idle_lanes{{.kind = "idle_lanes", .place = 20, .find = find_idle_lanes}};

}  // namespace
}  // namespace tilescope
