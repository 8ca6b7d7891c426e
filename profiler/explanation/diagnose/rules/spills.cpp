#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// Share of the bytes that the kernel's lanes move. A few registers that are saved once around a loop are far below.
constexpr double major_share = 0.05;
constexpr double least_share = 0.005;

// None where it was not counted.
std::optional<double> local_share(const Measurement& point) {
  if (!point.memory) return std::nullopt;
  double local = 0, all = 0;
  for (const auto& [name, bytes] : point.memory->bytes) {
    all += static_cast<double>(bytes);
    if (name.starts_with("local_")) local += static_cast<double>(bytes);
  }
  return all > 0 ? std::optional(local / all) : std::nullopt;
}

std::vector<Diagnosis> find_spills(const DiagnosisInput& input) {
  if (!input.point.resources || input.point.resources->spill_bytes <= 0) return {};
  const Resources& resources = *input.point.resources;
  const std::optional<double> share = local_share(input.point);
  const std::string moved = share ? fmt::format(" {} of the bytes that lanes move are those of local memory.",
                                                format_percent(*share))
                                  : "";
  const bool is_small = share && *share < least_share;
  Diagnosis diagnosis{
      .kind = "spills",
      .severity = is_small ? Severity::hint : Severity::cost,
      .lines = {},
      .text = fmt::format("Registers spill to local memory: {} of stores and loads per thread.",
                          format_bytes(resources.spill_bytes)),
      .evidence = fmt::format("The compiler keeps {} registers per thread and {} of stack.{}",
                              resources.registers, format_bytes(resources.stack_bytes), moved),
      .repair =
          "Keep fewer values per thread: smaller tiles per warp, less unrolling, or fewer threads "
          "per block.",
      .is_major = share && *share >= major_share};
  add_saving(diagnosis, input.point, saving_without(input.point, "local_memory"));
  return {diagnosis};
}

const RegisterRule register_spills{{
    .kind = "spills",
    .place = 12,
    .find = find_spills,
    .cost = [](const Measurement& point) -> std::optional<double> {
      if (!point.resources) return std::nullopt;
      return static_cast<double>(point.resources->spill_bytes);
    },
    .metric = "spills",
    .tries = {ChangeKind::choice, ChangeKind::step},
}};

}  // namespace
}  // namespace tilescope
