#include "sessions/metrics/registry.hpp"

namespace tilescope {
namespace {

const RegisterMetric register_sector_efficiency{{
    .tag = "sector_efficiency",
    .name = "global sector efficiency",
    .header = "sector eff.",
    .label = "Sector use",
    .description =
        "Fewest sectors of global memory that could hold what the warps ask for, over those that they touch",
    .unit = Unit::percent,
    .source = MetricSource::counted,
    .smaller_is_better = false,
    .widest = "100.0",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.memory || point.memory->global_sectors == 0) return std::nullopt;
      return 100 * static_cast<double>(point.memory->global_sectors_minimum) /
             static_cast<double>(point.memory->global_sectors);
    },
}};

}  // namespace
}  // namespace tilescope
