#include "sessions/metrics/registry.hpp"

namespace tilescope {
namespace {

const RegisterMetric register_max_error{{
    .tag = "max_error",
    .name = "max error",
    .header = "max error",
    .label = "Largest",
    .description = "Largest difference from the float64 reference: it decides, never the mean",
    .unit = Unit::magnitude,
    .source = MetricSource::checked,
    .place = 1,
    .ranks = false,
    .shown = true,
    .widest = "0.00e-00",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.error) return std::nullopt;
      return point.error->max_abs;
    },
    .tone =
        [](const Measurement& point) {
          const bool right = point.error->max_abs <= point.error->tolerance;  // NaN is wrong.
          return right ? Tone::good : Tone::bad;
        },
}};

}  // namespace
}  // namespace tilescope
