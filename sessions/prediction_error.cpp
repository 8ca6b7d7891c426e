#include "sessions/prediction_error.hpp"

#include <cmath>

namespace tilescope {

namespace {

bool is_time(double microseconds) {
  return std::isfinite(microseconds) && microseconds > 0;
}

std::optional<double> error_of(double expected_us, const Measurement& point) {
  if (!point.latency || !is_time(point.latency->p50_us) || !is_time(expected_us)) return std::nullopt;
  return expected_us / point.latency->p50_us - 1;
}

}  // namespace

bool has_prediction(const Measurement& point) {
  return point.prediction && is_time(point.prediction->p50_us);
}

std::optional<double> prediction_error(const Measurement& point) {
  return point.prediction ? error_of(point.prediction->p50_us, point) : std::nullopt;
}

std::optional<double> roofline_error(const Measurement& point) {
  if (!point.prediction || !point.prediction->roofline_us) return std::nullopt;
  return error_of(*point.prediction->roofline_us, point);
}

bool is_within_band(const Measurement& point) {
  const double measured_us = point.latency->p50_us;
  return point.prediction->low_us <= measured_us && measured_us <= point.prediction->high_us;
}

std::string limiting_part(const Prediction& prediction) {
  const PredictionPart* largest = nullptr;
  for (const PredictionPart& part : prediction.parts) {
    if (part.name == "launch" || part.name == "tail" || !(part.microseconds > 0)) continue;
    if (largest == nullptr || part.microseconds > largest->microseconds) largest = &part;
  }
  return largest == nullptr ? "" : largest->name;
}

}  // namespace tilescope
