#include "sessions/metrics/registry.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/verdict/verdict_on_points.hpp"

namespace tilescope {
namespace {

const RegisterMetric register_predicted_p50{{
    .tag = "predicted_p50",
    .name = "predicted latency p50",
    .header = "predicted p50",
    .label = "Predicted p50",
    .description = "Median latency of one launch that the model expects, L2-warm",
    .unit = Unit::microseconds,
    .source = MetricSource::predicted,
    .place = 1,
    .shown = true,
    .widest = "0,000.00",
    .value = [](const Measurement& point) -> std::optional<double> {
      if (!has_prediction(point)) return std::nullopt;
      return point.prediction->p50_us;
    },
    .is_open = [](const Measurement& a,
                  const Measurement& b) { return !is_decided(verdict_on_predictions(a, b)); },
}};

const RegisterMetric register_prediction_error{{
    .tag = "prediction_error",
    .name = "prediction error",
    .header = "pred. error",
    .description = "Predicted p50 over measured p50, minus 1: below 0 the model expects a faster launch",
    .unit = Unit::percent,
    .source = MetricSource::predicted,
    .place = 2,
    .ranks = false,
    .widest = "-000.0",
    .value = [](const Measurement& point) -> std::optional<double> {
      const std::optional<double> error = prediction_error(point);
      if (!error) return std::nullopt;
      return *error * 100;
    },
}};

}  // namespace
}  // namespace tilescope
