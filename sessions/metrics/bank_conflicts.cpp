#include "sessions/metrics/registry.hpp"

namespace tilescope {
namespace {

const RegisterMetric register_bank_conflicts{{
    .tag = "bank_conflicts",
    .name = "bank conflicts",
    .header = "conflicts",
    .description = "Share of the shared-memory wavefronts that are bank conflicts",
    .unit = Unit::percent,
    .source = MetricSource::counted,
    .place = 1,
    .shown = true,
    .widest = "100.0",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.memory || point.memory->shared_wavefronts == 0) return std::nullopt;
      return 100 * static_cast<double>(point.memory->shared_conflicts) /
             static_cast<double>(point.memory->shared_wavefronts);
    },
    .tone =
        [](const Measurement& point) {
          const auto [conflicts, wavefronts] =
              std::pair(point.memory->shared_conflicts, point.memory->shared_wavefronts);
          return conflicts == 0 ? Tone::good : 5 * conflicts > wavefronts ? Tone::bad : Tone::plain;
        },
}};

}  // namespace
}  // namespace tilescope
