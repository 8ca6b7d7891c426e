#include "profiler/views/kernel_file/tried_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/text/format.hpp"
#include "profiler/views/kernel_file/kernel_rows.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/status.hpp"
#include "sessions/views/model/prediction_text.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/ties.hpp"

namespace tilescope {
namespace {

std::size_t faults_of(const OpenedPoint& point) {
  return static_cast<std::size_t>(std::ranges::count_if(point.findings, is_fault));
}

bool is_incorrect(const OpenedPoint& point) {
  return std::ranges::any_of(point.compared,
                             [](const ComparedBuffer& compared) { return compared.wrong > 0; });
}

// The formula that an output equals, where nothing says what it should hold.
std::string recognised_formula(const OpenedPoint& point) {
  for (const std::string& output : point.outputs) {
    const auto equal = std::ranges::find(point.guesses, output + ": expected", &LaunchGuess::what);
    if (equal != point.guesses.end()) return equal->value;
  }
  return "";
}

std::string result_words(const OpenedPoint& point) {
  if (point.problem == FileProblem::code) return "Does not compile";
  if (!has_run(point.status)) return status_words(point);
  if (is_incorrect(point)) return "Incorrect";
  if (const std::size_t faults = faults_of(point); faults > 0)
    return fmt::format("{} fault{}", faults, faults == 1 ? "" : "s");
  if (!point.compared.empty()) return "Correct";
  const std::string formula = recognised_formula(point);
  return formula.empty() ? "Not checked" : "Equals " + formula;
}

void add_latency(const OpenedPoint& point, TriedRow& row) {
  if (point.latency && point.latency->l2_warm) {
    row.latency_us = row.low_us = row.high_us = point.latency->l2_warm->p50_us;
    row.latency = format_latency(row.latency_us);
  } else if (point.prediction) {
    row.latency_us = point.prediction->p50_us;
    row.low_us = point.prediction->low_us;
    row.high_us = point.prediction->high_us;
    row.latency = predicted_words(*point.prediction);
  }
}

// Points that may be ranked: the correct ones, or the unchecked ones where none is known to be correct.
std::vector<const TriedPoint*> ranked_points(const std::vector<TriedPoint>& points, const Metric& metric) {
  for (const bool is_checked : {true, false}) {
    std::vector<const TriedPoint*> ranked;
    for (const TriedPoint& tried : points) {
      const OpenedPoint& point = *tried.point;
      const bool is_sound = has_run(point.status) && faults_of(point) == 0 && !is_incorrect(point);
      if (is_sound && point.compared.empty() != is_checked && metric.value(point)) ranked.push_back(&tried);
    }
    if (!ranked.empty()) return ranked;
  }
  return {};
}

// Elements of all buffers: points with notably more do other work.
double elements_of(const OpenedPoint& point) {
  double elements = 0;
  for (const LaunchGuess& guess : point.guesses)
    if (guess.what.ends_with(": elements")) elements += std::strtod(guess.value.c_str(), nullptr);
  return elements;
}

bool do_equal_work(const std::vector<const TriedPoint*>& points) {
  constexpr double notably_more = 1.05;
  const auto [least, most] =
      std::ranges::minmax(points, {}, [](const TriedPoint* tried) { return elements_of(*tried->point); });
  return elements_of(*most->point) <= notably_more * elements_of(*least->point);
}

std::string values_text(const TriedPoint& tried) {
  std::string text;
  for (const auto& [name, value] : tried.values)
    if (!value.empty()) text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, value);
  return text;
}

struct Ranking {
  bool is_measured = false;
  /// Points that are ranked.
  std::size_t count = 0;
  /// The fastest one, then those that cannot be told from it.
  std::vector<const TriedPoint*> fastest;
  double latency_us = 0;
};

// None without a latency, and where the points do not do the same work.
std::optional<Ranking> ranking_of(const std::vector<TriedPoint>& points) {
  for (const bool is_measured : {true, false}) {
    const Metric& metric = metric_of(is_measured ? "p50" : "predicted_p50");
    const std::vector<const TriedPoint*> ranked = ranked_points(points, metric);
    if (ranked.empty()) continue;
    if (!do_equal_work(ranked)) return std::nullopt;
    const auto latency = [&](const TriedPoint* tried) { return *metric.value(*tried->point); };
    const TriedPoint* const fastest = *std::ranges::min_element(ranked, {}, latency);
    Ranking ranking{is_measured, ranked.size(), {fastest}, latency(fastest)};
    for (const TriedPoint* const tried : ranked)
      if (tried != fastest && are_tied(metric, *tried->point, *fastest->point))
        ranking.fastest.push_back(tried);
    return ranking;
  }
  return std::nullopt;
}

}  // namespace

void add_entry_values(std::vector<TriedPoint>& points) {
  const auto varies = [](const TriedPoint& tried, const std::string& name) {
    return std::ranges::find(tried.values, name, &std::pair<std::string, std::string>::first) !=
           tried.values.end();
  };
  std::vector<std::string> names;
  for (const TriedPoint& tried : points) {
    if (!varies(tried, cache_entry_choice)) return;
    for (const OpenedConstant& constant : tried.point->constants)
      if (!varies(tried, constant.name) && std::ranges::find(names, constant.name) == names.end())
        names.push_back(constant.name);
  }
  for (TriedPoint& tried : points) {
    for (const std::string& name : names) {
      const auto constant = std::ranges::find(tried.point->constants, name, &OpenedConstant::name);
      tried.values.emplace_back(
          name, constant == tried.point->constants.end() ? "" : std::to_string(constant->value));
    }
  }
}

TriedRow tried_row(const TriedPoint& tried) {
  const OpenedPoint& point = *tried.point;
  TriedRow row;
  for (const auto& [name, value] : tried.values) row.values.push_back(value);
  row.result = result_words(point);
  row.is_faulty = !has_run(point.status) || is_incorrect(point) || faults_of(point) > 0;
  add_latency(point, row);
  if (point.memory) {
    row.conflicts = format_count(point.memory->shared_conflicts);
    row.excess_sectors = format_count(point.memory->global_sectors - point.memory->global_sectors_minimum);
  }
  if (point.resources) {
    row.registers = format_count(point.resources->registers);
    row.shared = format_short_bytes(point.resources->static_shared_bytes + point.dynamic_shared_bytes);
  }
  if (point.occupancy) row.occupancy = format_percent(point.occupancy->fraction);
  if (!has_run(point.status)) row.problem = point.reason;
  const auto fault = std::ranges::find_if(point.findings, is_fault);
  if (row.problem.empty() && fault != point.findings.end()) row.problem = fault->text;
  return row;
}

std::vector<std::size_t> places_by_latency(const std::vector<TriedRow>& rows, std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto key = [&](std::size_t place) {
    if (place >= rows.size()) return std::tuple(true, true, true, 0.0);
    const TriedRow& row = rows[place];
    return std::tuple(false, row.latency_us <= 0, row.is_faulty, row.latency_us);
  };
  std::ranges::stable_sort(places, {}, key);
  return places;
}

std::string fastest_words(const std::vector<TriedPoint>& points) {
  const std::optional<Ranking> ranking = ranking_of(points);
  if (!ranking) return "";
  const TriedPoint& fastest = *ranking->fastest.front();
  const std::string predicted = ranking->is_measured ? "" : "predicted ";
  const std::string unchecked = fastest.point->compared.empty() ? "; no result was checked" : "";
  const std::size_t ties = ranking->fastest.size() - 1;
  if (ranking->count > 1 && ties + 1 == ranking->count)
    return fmt::format("The {}differences between the {} values are within the error{}", predicted,
                       ranking->count, unchecked);
  std::string text = fmt::format("Lowest {}latency: {}, {}", predicted, values_text(fastest),
                                 format_latency(ranking->latency_us));
  if (ties > 0) text += " (" + ties_words(ties, ranking->count) + ")";
  return text + unchecked;
}

std::set<std::size_t> fastest_places(const std::vector<TriedPoint>& points) {
  std::set<std::size_t> places;
  const std::optional<Ranking> ranking = ranking_of(points);
  if (!ranking || ranking->fastest.size() == ranking->count) return places;
  for (const TriedPoint* const point : ranking->fastest)
    places.insert(static_cast<std::size_t>(point - points.data()));
  return places;
}

}  // namespace tilescope
