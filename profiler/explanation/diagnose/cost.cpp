#include "profiler/explanation/diagnose/cost.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "sessions/prediction_error.hpp"

namespace tilescope {
namespace {

// [us] Less than a launch spreads by.
constexpr double least_cost_us = 0.01;

void add_cost_us(Diagnosis& diagnosis, const Measurement& point, double us, const std::string& of) {
  if (us < least_cost_us) return;
  diagnosis.saving = Saving{us, 0, us};
  diagnosis.evidence +=
      fmt::format("{}Costs up to {}, {} of the predicted latency{}.", diagnosis.evidence.empty() ? "" : " ",
                  format_latency(us), format_percent(us / point.prediction->p50_us), of);
}

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

void add_cost(Diagnosis& diagnosis, const Measurement& point, std::initializer_list<const char*> parts,
              double share) {
  const std::optional<double> us = predicted_parts_us(point, parts);
  if (!us) return;
  std::string names;
  for (const char* part : parts) names += (names.empty() ? "" : ", ") + std::string(part);
  add_cost_us(diagnosis, point, *us * std::clamp(share, 0.0, 1.0), " (" + names + ")");
}

void add_cost_of_all(Diagnosis& diagnosis, const Measurement& point, double share) {
  if (has_prediction(point)) add_cost_us(diagnosis, point, point.prediction->p50_us * share, "");
}

}  // namespace tilescope
