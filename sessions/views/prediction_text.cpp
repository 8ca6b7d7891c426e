#include "sessions/views/prediction_text.hpp"

#include <cmath>

#include "sessions/prediction_error.hpp"
#include "sessions/views/format.hpp"

namespace tilescope {

namespace {

/// A bound in the unit in which format_latency writes `of_us`, and with as many decimals, without the unit.
std::string bound_words(double bound_us, double of_us) {
  if (of_us < 1e3) return format_number(bound_us, of_us < 10 ? 3 : 2);
  if (of_us < 1e6) return format_number(bound_us / 1e3, of_us < 1e4 ? 3 : 2);
  return format_number(bound_us / 1e6, 2);
}

}  // namespace

std::string predicted_words(const Prediction& prediction) {
  const double p50_us = prediction.p50_us;
  return format_latency(p50_us) + " (" + bound_words(prediction.low_us, p50_us) + " to " +
         bound_words(prediction.high_us, p50_us) + ")";
}

std::string band_words(const Prediction& prediction) {
  return bound_words(prediction.low_us, prediction.high_us) + " to " + format_latency(prediction.high_us);
}

std::string signed_percent(double fraction) {
  const bool is_zero = std::abs(fraction) < 0.0005;  // "-0.0 %" says nothing.
  return (fraction > 0 && !is_zero ? "+" : "") + format_percent(is_zero ? 0 : fraction);
}

std::string measured_and_predicted(const Measurement& point) {
  const std::optional<double> error = prediction_error(point);
  if (!error) return "";
  return "measured " + format_latency(point.latency->p50_us) + ", predicted " +
         format_latency(point.prediction->p50_us) + " (" + signed_percent(*error) + ")";
}

std::string why_not_predicted(const Measurement& point) {
  static const std::string start = "No prediction:";
  for (const std::string& note : point.notes) {
    if (!note.starts_with(start)) continue;
    const std::size_t words = note.find_first_not_of(' ', start.size());
    return words == std::string::npos ? "" : capitalised(note.substr(words));
  }
  return "";
}

}  // namespace tilescope
