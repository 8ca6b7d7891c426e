#include "profiler/explanation/diagnose/saving.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {
namespace {

// The range of a saving each way: 30 of 43 savings that an H200 measured lie inside (bench advice_accuracy). Where the model
// predicts the two kernels themselves wrongly a saving is further off.
constexpr double saving_error = 0.25;
// Share of the latency. Loops are simulated in part, and predictions of equal work differ by so much.
constexpr double least_share = 0.02;

}  // namespace

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
  diagnosis.saving =
      Saving{*us, (1 - saving_error) * *us, std::min((1 + saving_error) * *us, std::max(p50, *us))};
  if (!is_notable(*diagnosis.saving, point)) return;
  diagnosis.evidence +=
      fmt::format("{}Removing this would save {} of the predicted {}.", diagnosis.evidence.empty() ? "" : " ",
                  format_spread(diagnosis.saving->low_us, diagnosis.saving->high_us), format_latency(p50));
}

bool is_notable(const Saving& saving, const Measurement& point) {
  return has_prediction(point) && saving.us >= least_share * point.prediction->p50_us;
}

}  // namespace tilescope
