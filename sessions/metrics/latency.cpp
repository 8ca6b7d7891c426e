#include <cmath>

#include "sessions/metrics/registry.hpp"
#include "sessions/verdict/verdict_on_points.hpp"

namespace tilescope {
namespace {

bool latencies_are_open(const Measurement& a, const Measurement& b) {
  return !is_decided(verdict_on(*a.latency, *b.latency));
}

const RegisterMetric register_p50{{
    .tag = "p50",
    .name = "latency p50",
    .header = "p50",
    .label = "p50",
    .description = "Median latency of one launch, L2-warm",
    .unit = Unit::microseconds,
    .source = MetricSource::timed,
    .place = 1,
    .shown = true,
    .widest = "0,000.00",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.latency) return std::nullopt;
      return point.latency->p50_us;
    },
    .is_open = latencies_are_open,
}};

const RegisterMetric register_spread{{
    .tag = "spread",
    .name = "latency p10-p90",
    .header = "p10-p90",
    .description = "Width of the p10-p90 interval over p50",
    .unit = Unit::percent,
    .source = MetricSource::timed,
    .place = 2,
    .ranks = false,
    .widest = "00.0",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.latency || !(point.latency->p50_us > 0)) return std::nullopt;
      const double spread = (point.latency->p90_us - point.latency->p10_us) / point.latency->p50_us * 100;
      if (!std::isfinite(spread)) return std::nullopt;  // Too few samples, or none.
      return spread;
    },
}};

const RegisterMetric register_cold_p50{{
    .tag = "cold_p50",
    .name = "cold latency p50",
    .header = "cold p50",
    .description = "Median latency with L2 cleared before every launch",
    .unit = Unit::microseconds,
    .source = MetricSource::timed,
    .place = 3,
    .widest = "0,000.00",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!point.latency || !point.latency->l2_cold) return std::nullopt;
      return point.latency->l2_cold->p50_us;
    },
    .is_open = [](const Measurement& a,
                  const Measurement& b) { return !is_decided(verdict_on_cold(*a.latency, *b.latency)); },
}};

const RegisterMetric register_tflops{{
    .tag = "tflops",
    .name = "speed",
    .label = "Speed",
    .description =
        "4*B*Hq*Sq*Sk*D, halved when causal, over p50; half of that where only the scores are computed",
    .unit = Unit::tflops,
    .source = MetricSource::timed,
    .place = 4,
    .smaller_is_better = false,
    .shown = true,
    .widest = "000.00",
    .value = [](const Measurement& point) -> std::optional<double> {
      // Nothing says how many operations a kernel of a file has.
      if (!point.latency || point.arguments) return std::nullopt;
      return point.latency->tflops;
    },
    .is_open = latencies_are_open,
}};

}  // namespace
}  // namespace tilescope
