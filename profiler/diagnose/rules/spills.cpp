#include <fmt/format.h>

#include "profiler/diagnose/rule.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {
namespace {

std::vector<Diagnosis> find(const DiagnosisInput& input) {
  if (!input.point.resources || input.point.resources->spill_bytes <= 0) return {};
  const Resources& resources = *input.point.resources;
  return {
      {"spills",
       Severity::cost,
       {},
       fmt::format("Registers spill to local memory: {} of stores and loads per thread.",
                   format_bytes(resources.spill_bytes)),
       fmt::format("The compiler keeps {} registers per thread and {} of stack.", resources.registers,
                   format_bytes(resources.stack_bytes)),
       "Keep fewer values per thread: smaller tiles per warp, less unrolling, or fewer threads per block."}};
}

const RegisterRule register_spills{{
    .kind = "spills",
    .place = 3,
    .find = find,
    .cost = [](const Measurement& point) -> std::optional<double> {
      if (!point.resources) return std::nullopt;
      return static_cast<double>(point.resources->spill_bytes);
    },
    .metric = "spills",
    .tries = {ChangeKind::choice, ChangeKind::step},
}};

}  // namespace
}  // namespace tilescope
