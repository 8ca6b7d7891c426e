#include "sessions/views/model/prediction_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/views/model/prediction_text.hpp"
#include "sessions/views/points/axis_ticks.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {

namespace {

std::vector<PartShare> shares_of(const Prediction& prediction) {
  std::vector<PartShare> parts;
  double sum = 0;
  for (const PredictionPart& part : prediction.parts) {
    if (!std::isfinite(part.microseconds) || !(part.microseconds > 0)) continue;
    parts.push_back({part.name, part.microseconds, 0, sum});
    sum += part.microseconds;
  }
  for (PartShare& part : parts) part.share = part.microseconds / sum;
  return parts;
}

std::vector<std::size_t> largest_first(const std::vector<PartShare>& parts) {
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts[a].microseconds > parts[b].microseconds;
  });
  return order;
}

void set_axis(PartsView& view) {
  double most = std::max(view.p50_us, view.high_us);
  if (view.roofline_us) most = std::max(most, *view.roofline_us);
  if (view.measured) most = std::max({most, view.measured->p50_us, view.measured->p90_us});
  if (!view.parts.empty()) most = std::max(most, view.parts.back().begin_us + view.parts.back().microseconds);
  view.end_us = most * 1.02;
  view.ticks = axis_ticks(0, view.end_us);
}

std::string heading_of(const Measurement& point) {
  std::string text = "Predicted " + predicted_words(*point.prediction);
  if (const auto clock = point.prediction->clock_mhz) text += " at " + format_number(*clock, 0) + " MHz";
  const std::optional<double> error = prediction_error(point);
  if (!error) return text;
  return text + ", measured " + format_latency(point.latency->p50_us) + ": " + signed_percent(*error);
}

std::string summary_of(const PartsView& view, const Prediction& prediction) {
  std::string text = limit_sentence(prediction);
  if (view.roofline_us) {
    const std::string of = prediction.roofline_of.empty() ? "" : " (" + prediction.roofline_of + ")";
    text += (text.empty() ? "" : " ") +
            ("The roofline time" + of + " is " + format_latency(*view.roofline_us)) + ", " +
            format_percent(*view.roofline_us / view.p50_us) + " of the prediction.";
  }
  if (!prediction.band.empty()) text += (text.empty() ? "" : " ") + ("The band: " + prediction.band + ".");
  return text;
}

}  // namespace

std::optional<PartsView> prediction_parts(const Measurement& point, const Measurement* timed) {
  if (!has_prediction(point)) return std::nullopt;
  const Prediction& prediction = *point.prediction;
  PartsView view;
  view.parts = shares_of(prediction);
  view.by_size = largest_first(view.parts);
  view.p50_us = prediction.p50_us;
  view.low_us = prediction.low_us;
  view.high_us = prediction.high_us;
  view.roofline_us = prediction.roofline_us;
  const std::optional<Latency>& latency = timed == nullptr || point.latency ? point.latency : timed->latency;
  if (latency) view.measured = PartsView::Measured{latency->p10_us, latency->p50_us, latency->p90_us};
  if (latency && !point.latency) view.timed = timed_words(point, *timed);
  set_axis(view);
  view.heading = heading_of(point);
  view.summary = summary_of(view, prediction);
  return view;
}

std::string no_prediction_words(const Measurement& point) {
  std::string reason = why_not_predicted(point);
  if (!reason.empty()) return reason;
  if (!has_run(point.status)) {
    return status_words(point) + ": only correct results are predicted." +
           (point.reason.empty() ? "" : " " + point.reason);
  }
  return "The point was made without a model of its device. Measure it again to predict it.";
}

}  // namespace tilescope
