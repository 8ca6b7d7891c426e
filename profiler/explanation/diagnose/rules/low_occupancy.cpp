#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// Share of the latency that twice as many warps save: less is not worth the registers or tiles that they cost.
constexpr double notable_saving = 0.05;

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
  const std::optional<double> saving = saving_without(point, "few_warps");
  if (!point.occupancy || !saving || *saving < notable_saving * point.prediction->p50_us) return {};
  const Occupancy& occupancy = *point.occupancy;
  // A grid of less than a wave would not fill more room.
  if (is_full(occupancy) || occupancy.waves < 1 || occupancy.limiter == Limiter::blocks) return {};
  Diagnosis diagnosis{"low_occupancy", Severity::cost, {}, "", "", limit_words(occupancy)};
  diagnosis.text = fmt::format(
      "Too few warps to hide the latencies: {} reside on an SM, {} of what it holds, limited by {}.",
      occupancy.warps_per_sm, format_percent(occupancy.fraction), limiter_words(occupancy));
  diagnosis.evidence = "The launch was predicted again with twice as many resident blocks.";
  add_saving(diagnosis, point, saving);
  return {diagnosis};
}

const RegisterRule register_low_occupancy{{.kind = "low_occupancy", .place = 21, .find = find_low_occupancy}};

}  // namespace
}  // namespace tilescope
