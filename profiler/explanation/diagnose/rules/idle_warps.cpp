#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// Share of what the warps of a block could execute while its busiest one works. The ladder's best kernels leave up to
// 43 % idle, a kernel in which one warp of eight computes the scores 75 %.
constexpr double notable_share = 0.3;
constexpr double major_share = 2.0 / 3;

std::vector<Diagnosis> find_idle_warps(const DiagnosisInput& input) {
  const auto& memory = input.point.memory;
  if (!memory || !memory->work || !memory->work->watched || memory->work->paced_instructions <= 0) return {};
  const WatchedBlock& watched = *memory->work->watched;
  // The block's barriers are not to blame for warps that wait at mbarriers: producers have little to execute.
  if (watched.warps < 2 || !watched.barriers) return {};
  const double idle = 1 - static_cast<double>(memory->warp_instructions) /
                              static_cast<double>(memory->work->paced_instructions);
  if (idle < notable_share) return {};
  Diagnosis diagnosis{"idle_warps",
                      Severity::cost,
                      {},
                      "",
                      "",
                      std::string("Deal the work to all warps: by ") +
                          (computes_attention(input.kernel) ? "(row, key) pairs instead of by rows"
                                                            : "elements instead of by rows") +
                          ", or in portions that divide over the warps."};
  diagnosis.is_major = idle >= major_share;
  std::string place;
  if (!watched.barriers->empty()) {
    const BarrierSite& most =
        *std::ranges::max_element(*watched.barriers, {}, &BarrierSite::idle_instructions);
    if (most.idle_instructions > 0) {
      place = at_place_words(most.place, input.kernel);
      add_line(diagnosis, most.place, input.kernel);
    }
  }
  diagnosis.text =
      fmt::format("Warps wait for the busiest one of their block{}: {} of what they could execute is idle.",
                  place.empty() ? "" : ", most at the barrier" + place, format_percent(idle));
  diagnosis.evidence = fmt::format(
      "{} warp instructions; {} if all {} warps of a block had as many between two barriers as the busiest.",
      format_count(memory->warp_instructions), format_count(memory->work->paced_instructions), watched.warps);
  add_saving(diagnosis, input.point, saving_without(input.point, "idle_warps"));
  return {diagnosis};
}

const RegisterRule register_idle_warps{{.kind = "idle_warps", .place = 8, .find = find_idle_warps}};

}  // namespace
}  // namespace tilescope
