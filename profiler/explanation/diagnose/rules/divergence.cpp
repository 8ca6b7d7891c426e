#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// The ladder's kernels have 0.1 % at most, from the ends of their rows.
constexpr double notable_share = 0.03;
// One instruction in seven is there only because lanes went different ways.
constexpr double major_share = 0.15;

std::vector<Diagnosis> find_divergence(const DiagnosisInput& input) {
  if (!input.point.memory || !input.point.memory->work || input.point.memory->warp_instructions <= 0)
    return {};
  const MemoryCounts& memory = *input.point.memory;
  const ExecutedWork& work = *memory.work;
  const double share =
      static_cast<double>(work.serialised_instructions) / static_cast<double>(memory.warp_instructions);
  if (share < notable_share) return {};
  Diagnosis diagnosis{"divergence",
                      Severity::cost,
                      {},
                      "",
                      "",
                      "Let the lanes of a warp take one branch: decide by the warp, or compute what differs "
                      "instead of branching on it."};
  diagnosis.is_major = share >= major_share;
  const bool has_place = !work.partial_lanes.empty();
  diagnosis.text = fmt::format(
      "Branches of a warp are executed one after the other{}: {} of {} warp instructions are executed for "
      "lanes that went another way.",
      has_place ? at_place_words(work.partial_lanes.front().place, input.kernel) : "",
      format_short(work.serialised_instructions), format_short(memory.warp_instructions));
  for (const PartialLanes& lanes : work.partial_lanes) add_line(diagnosis, lanes.place, input.kernel);
  diagnosis.evidence = fmt::format(
      "{} of the warp instructions; {} of 32 lanes take part in one on average.", format_percent(share),
      format_number(
          static_cast<double>(work.lane_instructions) / static_cast<double>(memory.warp_instructions), 1));
  add_saving(diagnosis, input.point, saving_of_work(input.point, share));
  return {diagnosis};
}

const RegisterRule register_divergence{{.kind = "divergence", .place = 7, .find = find_divergence}};

}  // namespace
}  // namespace tilescope
