#include "sessions/metrics/registry.hpp"

namespace tilescope {
namespace {

const RegisterMetric register_occupancy{{
    .tag = "occupancy",
    .name = "occupancy",
    .header = "occup.",
    .label = "Occupancy",
    .description = "Resident warps / SM maximum, calculated",
    .unit = Unit::percent,
    .source = MetricSource::calculated,
    .place = 1,
    .smaller_is_better = false,
    .ranks = false,
    .shown = true,
    .widest = "100.0",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.occupancy) return std::nullopt;
      return point.occupancy->fraction * 100;
    },
}};

const RegisterMetric register_limiter{{
    .tag = "limiter",
    .name = "limiter",
    .header = "limiter",
    .label = "Limiter",
    .description = "The resource that limits resident blocks",
    .source = MetricSource::calculated,
    .place = 2,
    .shown = true,
    .widest = "SM full (warps)",
    .text = [](const Measurement& point) -> std::string {
      return point.occupancy ? limiter_words(*point.occupancy) : "";
    },
}};

}  // namespace
}  // namespace tilescope
