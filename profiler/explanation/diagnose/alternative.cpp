#include "profiler/explanation/diagnose/alternative.hpp"

#include <cctype>
#include <cmath>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

// A smaller gain does not count as a repair: a loop that is unrolled differently moves as much.
constexpr double least_gain = 0.02;

std::string in_small(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::optional<double> value_of(const Metric* metric, const Measurement& point) {
  return metric == nullptr || metric->value == nullptr ? std::nullopt : metric->value(point);
}

// Positive where `now` is better.
double gain(bool smaller_is_better, double before, double now) {
  return smaller_is_better ? before - now : now - before;
}

Tone tone_of(bool smaller_is_better, double before, double now) {
  const double better = gain(smaller_is_better, before, now);
  return better > 0 ? Tone::good : better < 0 ? Tone::bad : Tone::plain;
}

std::string short_words(double value, Unit unit) {
  return unit == Unit::bytes ? format_short_bytes(std::llround(value)) : format_with_unit(value, unit);
}

void add_metric(std::vector<Worth>& rows, const char* tag, const Measurement& before,
                const Measurement& now) {
  const Metric* metric = find_metric(tag);
  const auto a = value_of(metric, before), b = value_of(metric, now);
  if (!a || !b) return;
  const std::string label = capitalised(metric->name) + (metric->per.empty() ? "" : " per " + metric->per);
  rows.push_back({label, short_words(*a, metric->unit), short_words(*b, metric->unit),
                  tone_of(metric->smaller_is_better, *a, *b)});
}

}  // namespace

std::vector<ParameterChange> alternatives_to_count(const DiagnosisRule& rule, const DiagnosisInput& input) {
  return find_changes(input.point, input.kernel, input.device, rule.tries, max_alternatives);
}

Alternative judge_alternative(const DiagnosisRule& rule, const Measurement& base,
                              const ParameterChange& change, const Measurement& counted) {
  Alternative alternative{change, to_string(change) + ": ", false, std::nullopt};
  const Metric* metric = find_metric(rule.metric);
  const auto value = value_of(metric, counted), former = value_of(metric, base);
  if (counted.status != Status::ok || !value) {
    alternative.text += counted.status == Status::ok ? "not counted" : in_small(status_words(counted));
    return alternative;
  }
  alternative.text += format_with_unit(*value, metric->unit) + " " + metric->name;
  if (base.latency && counted.latency) {
    alternative.text += ", p50 " + format_latency(counted.latency->p50_us);
  } else if (has_prediction(base) && has_prediction(counted)) {
    alternative.text += ", predicted p50 " + format_latency(counted.prediction->p50_us);
  }
  alternative.cost = rule.cost(counted);
  const std::optional<double> cost = rule.cost(base);
  if (!alternative.cost || !cost || !former) return alternative;
  alternative.helps = *alternative.cost < (1 - least_gain) * *cost &&
                      gain(metric->smaller_is_better, *former, *value) > least_gain * std::abs(*former);
  return alternative;
}

std::vector<Worth> worth_of(const DiagnosisRule& rule, const Measurement& before, const Measurement& now) {
  std::vector<Worth> rows;
  add_metric(rows, rule.metric.c_str(), before, now);
  const auto a = rule.cost(before), b = rule.cost(now);
  if (a && b && !rule.cost_name.empty()) {
    rows.push_back({rule.cost_name, format_short(std::llround(*a)), format_short(std::llround(*b)),
                    tone_of(true, *a, *b)});
  }
  add_metric(rows, "occupancy", before, now);
  add_metric(rows, before.latency && now.latency ? "p50" : "predicted_p50", before, now);
  for (const char* tag : {"registers", "shared_memory", "spills"}) {
    const Metric* metric = find_metric(tag);
    if (value_of(metric, before) != value_of(metric, now)) add_metric(rows, tag, before, now);
  }
  return rows;
}

std::string worth_sentence(const DiagnosisRule& rule, const Measurement& before, const Measurement& now) {
  const Metric* metric = find_metric(rule.metric);
  const auto a = value_of(metric, before), b = value_of(metric, now);
  if (!a || !b) return "";
  return "Before: " + format_with_unit(*a, metric->unit) + " " + metric->name + "; now " +
         format_with_unit(*b, metric->unit) + ".";
}

}  // namespace tilescope
