#include "sessions/views/tune/sweep_summary.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/trust.hpp"
#include "sessions/views/points/ties.hpp"

namespace tilescope {

namespace {

std::string count_of(std::size_t count) {
  return format_count(static_cast<std::int64_t>(count));
}

std::string outcome_words(const Measurement& point) {
  switch (point.status) {
    case Status::ok:
      return point.error ? "correct" : "not checked";
    case Status::unchecked:
      return "not checked";
    case Status::wrong_result:
      return "incorrect";
    case Status::compile_failed:
      return "failed to compile";
    case Status::launch_failed:
      return "failed to launch";
    case Status::invalid_configuration:
      return "invalid";
    case Status::unsupported:
      return "not supported here";
    case Status::timed_out:
      return "timed out";
    case Status::worker_lost:
      return "lost the worker";
    case Status::cancelled:
      break;
  }
  return "cancelled";
}

/// In the order in which they were first seen, "correct" first.
std::string outcomes_text(const EndedSweep& sweep) {
  std::vector<std::pair<std::string, std::size_t>> outcomes{{"correct", 0}, {"incorrect", 0}};
  for (const auto& point : sweep.points) {
    const std::string words = outcome_words(*point);
    auto outcome = outcomes.begin();
    while (outcome != outcomes.end() && outcome->first != words) ++outcome;
    if (outcome == outcomes.end()) outcome = outcomes.insert(outcome, {words, 0});
    ++outcome->second;
  }
  std::string text;
  for (const auto& [words, count] : outcomes) {
    if (count > 0) text += (text.empty() ? "" : ", ") + count_of(count) + " " + words;
  }
  return text;
}

std::string heading(const EndedSweep& sweep) {
  const std::size_t done = sweep.points.size();
  if (done < sweep.total) {
    return (sweep.cancelled ? "Cancelled after " : "Stopped after ") + count_of(done) + " of " +
           format_points(sweep.total);
  }
  std::string text = format_points(done);
  const std::size_t prepared = std::min(sweep.prepared, sweep.reused), before = sweep.reused - prepared;
  if (before == done) return text + ", all in the session before";
  if (prepared == done) return text + ", all prepared ahead";
  std::string known = before > 0 ? count_of(before) + " in the session before" : "";
  if (prepared > 0) known += (known.empty() ? "" : ", ") + count_of(prepared) + " prepared ahead";
  return known.empty() ? text : text + " (" + known + ")";
}

std::string swept_values(const EndedSweep& sweep, const Measurement& point) {
  std::string text;
  for (const std::string& name : sweep.swept) {
    const auto value = point.parameters.find(name);
    if (value != point.parameters.end())
      text += (text.empty() ? "" : " ") + name + "=" + to_string(value->second);
  }
  return text;
}

/// The correct points that have a finite value of a metric.
std::vector<SharedMeasurement> points_with(const Metric& metric,
                                           const std::vector<SharedMeasurement>& points) {
  std::vector<SharedMeasurement> with_value;
  for (const SharedMeasurement& point : points) {
    const std::optional<double> value =
        point->status == Status::ok ? metric.value(*point) : std::optional<double>();
    if (value && std::isfinite(*value)) with_value.push_back(point);
  }
  return with_value;
}

/// "Best", "Lowest latency", "Best predicted", "Lowest predicted latency".
std::string fastest_words(bool is_best, bool is_predicted) {
  if (is_best) return is_predicted ? "Best predicted: " : "Best: ";
  return is_predicted ? "Lowest predicted latency: " : "Lowest latency: ";
}

/// By what was timed; by predictions where nothing was.
void find_fastest(const EndedSweep& sweep, SweepSummary& summary) {
  const bool is_predicted = points_with(metric_of("p50"), sweep.points).empty();
  const Metric& metric = metric_of(is_predicted ? "predicted_p50" : "p50");
  const std::vector<SharedMeasurement> ranked = points_with(metric, sweep.points);
  if (ranked.empty()) return;
  const SharedMeasurement& fastest = *std::min_element(
      ranked.begin(), ranked.end(), [&](const SharedMeasurement& a, const SharedMeasurement& b) {
        return *metric.value(*a) < *metric.value(*b);
      });
  summary.fastest_point = fastest;
  const auto is_tie = [&](const SharedMeasurement& point) {
    return point != fastest && are_tied(metric, *point, *fastest);
  };
  const auto ties = static_cast<std::size_t>(std::count_if(ranked.begin(), ranked.end(), is_tie));
  const bool is_best = ranked.size() > 1 && ties == 0;
  summary.fastest = fastest_words(is_best, is_predicted) + swept_values(sweep, *fastest) + ", " +
                    format_latency(*metric.value(*fastest)) + distrust_mark(*fastest);
  if (ties > 0) summary.fastest += " (" + ties_words(ties, ranked.size()) + ")";
}

}  // namespace

std::string sweep_progress_text(std::size_t done, std::size_t total, std::optional<double> remaining_s) {
  std::string text = count_of(total - std::min(done, total)) + " of " + count_of(total) + " left";
  if (remaining_s) text += ", about " + format_duration(*remaining_s);
  return text;
}

std::string sweep_rate_text(std::optional<double> points_per_second) {
  if (!points_per_second) return "";
  const double per_s = *points_per_second;
  if (60 * per_s < 1) return format_number(3600 * per_s, 0) + " points/h";
  if (per_s < 1) return format_number(60 * per_s, 0) + " points/min";
  return format_number(per_s, per_s < 10 ? 1 : 0) + " points/s";
}

SweepSummary summarize_sweep(const EndedSweep& sweep) {
  SweepSummary summary;
  summary.kernel = sweep.kernel;
  summary.counts = heading(sweep);
  const std::string outcomes = outcomes_text(sweep);
  if (!outcomes.empty()) summary.counts += ": " + outcomes;
  if (sweep.reused < sweep.points.size()) summary.counts += "; " + format_duration(sweep.elapsed_s);
  find_fastest(sweep, summary);
  return summary;
}

}  // namespace tilescope
