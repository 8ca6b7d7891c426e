#include "profiler/explanation/diagnose/repair_worth.hpp"

#include <cmath>
#include <optional>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/views/points/metric_text.hpp"

namespace tilescope {
namespace {

// A smaller gain does not count as a repair: a loop that is unrolled differently moves as much.
constexpr double least_gain = 0.02;

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

void add_cost(std::vector<Worth>& rows, const DiagnosisRule& rule, const Measurement& before,
              const Measurement& now) {
  if (rule.cost == nullptr || rule.cost_name.empty()) return;
  const std::optional<double> a = rule.cost(before), b = rule.cost(now);
  if (!a || !b) return;
  rows.push_back({rule.cost_name, format_short(std::llround(*a)), format_short(std::llround(*b)),
                  tone_of(true, *a, *b)});
}

}  // namespace

bool repairs(const DiagnosisRule& rule, const Measurement& before, const Measurement& now) {
  if (now.status != Status::ok || rule.cost == nullptr) return false;
  const Metric* metric = find_metric(rule.metric);
  const auto former = value_of(metric, before), value = value_of(metric, now);
  const std::optional<double> cost = rule.cost(before), cost_now = rule.cost(now);
  return former && value && cost && cost_now && *cost_now < (1 - least_gain) * *cost &&
         gain(metric->smaller_is_better, *former, *value) > least_gain * std::abs(*former);
}

std::string metric_words(const DiagnosisRule& rule, const Measurement& now) {
  const Metric* metric = find_metric(rule.metric);
  const std::optional<double> value = value_of(metric, now);
  return value ? format_with_unit(*value, metric->unit) + " " + metric->name : "";
}

std::vector<Worth> worth_of(const DiagnosisRule* rule, const Measurement& before, const Measurement& now) {
  std::vector<Worth> rows;
  if (rule != nullptr) {
    add_metric(rows, rule->metric.c_str(), before, now);
    add_cost(rows, *rule, before, now);
  }
  add_metric(rows, "occupancy", before, now);
  add_metric(rows, before.latency && now.latency ? "p50" : "predicted_p50", before, now);
  for (const char* tag : {"registers", "shared_memory", "spills"}) {
    const Metric* metric = find_metric(tag);
    if (value_of(metric, before) != value_of(metric, now)) add_metric(rows, tag, before, now);
  }
  return rows;
}

std::string worth_sentence(const DiagnosisRule* rule, const Measurement& before, const Measurement& now) {
  if (rule == nullptr) return "";
  const Metric* metric = find_metric(rule->metric);
  const auto a = value_of(metric, before), b = value_of(metric, now);
  if (!a || !b) return "";
  return "Before: " + format_with_unit(*a, metric->unit) + " " + metric->name + "; now " +
         format_with_unit(*b, metric->unit) + ".";
}

}  // namespace tilescope
