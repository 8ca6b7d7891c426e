#include "profiler/explanation/diagnose/saving.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {
namespace {

// The range of a saving each way, see saving_range(). Where the model predicts the two kernels themselves wrongly a saving is
// further off.
constexpr double saving_error = 0.25;
// Share of the latency. Loops are simulated in part, and predictions of equal work differ by so much.
constexpr double least_share = 0.02;

// Error of the ratio of two predictions: the launch as it is and without a cause, which is another program. Without a band
// for ratios each latency has its own, whose high end is p50 / (1 - error).
double error_of_ratio(const Prediction& prediction) {
  if (prediction.ratio_error) return prediction.ratio_error->kernels;
  return prediction.high_us > prediction.p50_us ? 1 - prediction.p50_us / prediction.high_us : 0;
}

}  // namespace

Saving saving_range(const Measurement& point, double us) {
  const Prediction& prediction = *point.prediction;
  const double launch_us = predicted_parts_us(point, {"launch"}).value_or(0);
  const double most_us = std::max(0.0, prediction.p50_us - launch_us);
  const double expected_us = std::min(us, most_us);
  const double left_us = (prediction.p50_us - expected_us) / (1 + error_of_ratio(prediction));
  const double high_us = std::min(most_us, prediction.p50_us - left_us);
  return {expected_us, (1 - saving_error) * expected_us, std::min((1 + saving_error) * expected_us, high_us)};
}

std::optional<double> predicted_parts_us(const Measurement& point, std::initializer_list<const char*> parts) {
  if (!has_prediction(point)) return std::nullopt;
  double sum = 0;
  for (const PredictionPart& part : point.prediction->parts) {
    const auto is_named = [&](const char* name) { return part.name == name; };
    if (std::any_of(parts.begin(), parts.end(), is_named)) sum += part.microseconds;
  }
  return sum;
}

std::optional<double> predicted_share(const Measurement& point, std::initializer_list<const char*> parts) {
  const std::optional<double> us = predicted_parts_us(point, parts);
  return us ? std::optional(*us / point.prediction->p50_us) : std::nullopt;
}

std::optional<double> saving_without(const Measurement& point, std::string_view cause, std::int64_t line) {
  if (!has_prediction(point) || point.prediction->without.empty()) return std::nullopt;
  double everywhere = 0;
  for (const Counterfactual& one : point.prediction->without) {
    if (one.cause != cause) continue;
    const double saving = std::max(0.0, point.prediction->p50_us - one.p50_us);
    if (one.lines.empty()) everywhere = saving;
    const bool is_there =
        line == 0 ? one.lines.empty() : std::ranges::find(one.lines, line) != one.lines.end();
    if (is_there) return saving;
  }
  // Only the lines with most of a cause are predicted without it; another one saves no more than all of them.
  const bool is_notable_somewhere = everywhere >= least_share * point.prediction->p50_us;
  return is_notable_somewhere ? std::nullopt : std::optional(everywhere);
}

std::optional<double> saving_of_work(const Measurement& point, double share) {
  const std::optional<double> others =
      predicted_parts_us(point, {"launch", "block start", "instruction fetch", "tail"});
  if (!others) return std::nullopt;
  return std::max(0.0, point.prediction->p50_us - *others) * std::clamp(share, 0.0, 1.0);
}

void add_saving(Diagnosis& diagnosis, const Measurement& point, std::optional<double> us) {
  if (!us || !has_prediction(point)) return;
  const double p50 = point.prediction->p50_us;
  diagnosis.saving = saving_range(point, *us);
  if (!is_notable(*diagnosis.saving, point)) return;
  diagnosis.evidence +=
      fmt::format("{}Removing this would save {} of the predicted {}.", diagnosis.evidence.empty() ? "" : " ",
                  format_spread(diagnosis.saving->low_us, diagnosis.saving->high_us), format_latency(p50));
}

bool is_notable(const Saving& saving, const Measurement& point) {
  return has_prediction(point) && saving.us >= least_share * point.prediction->p50_us;
}

}  // namespace tilescope
