#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/cost.hpp"
#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// Share of the predicted latency in which the SM's quarters had warps, but none that was ready.
constexpr double notable_waits = 0.4;
// Share of the SM's warps: with more, other warps are not what is missing.
constexpr double few_warps = 0.5;

std::string limit_words(const Occupancy& occupancy) {
  switch (occupancy.limiter) {
    case Limiter::registers:
      return "Keep fewer values per thread, or bound the registers with __launch_bounds__.";
    case Limiter::shared_memory:
      return "Make the tiles smaller, or keep a part of them in registers.";
    case Limiter::warps:
    case Limiter::blocks:
      break;
  }
  return "Give a block more warps.";
}

std::vector<Diagnosis> find_low_occupancy(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (!point.occupancy) return {};
  const Occupancy& occupancy = *point.occupancy;
  // A grid of less than a wave would not fill more room.
  if (occupancy.fraction >= few_warps || occupancy.waves < 1 || occupancy.limiter == Limiter::blocks)
    return {};
  const auto waits =
      predicted_share(point, {"FMA and ALU", "tensor", "MUFU", "shared memory", "L2 and DRAM"});
  if (!waits || *waits < notable_waits) return {};
  Diagnosis diagnosis{"low_occupancy", Severity::cost, {}, "", "", limit_words(occupancy)};
  diagnosis.text = fmt::format(
      "Too few warps to hide the latencies: {} reside on an SM, {} of what it holds, limited by {}.",
      occupancy.warps_per_sm, format_percent(occupancy.fraction), resource_words(occupancy.limiter));
  diagnosis.evidence = fmt::format("For {} of the predicted latency no resident warp is ready to issue.",
                                   format_percent(*waits));
  add_cost(diagnosis, point, {"FMA and ALU", "tensor", "MUFU", "shared memory", "L2 and DRAM"},
           1 - occupancy.fraction);
  return {diagnosis};
}

const RegisterRule register_low_occupancy{{.kind = "low_occupancy", .place = 21, .find = find_low_occupancy}};

}  // namespace
}  // namespace tilescope
