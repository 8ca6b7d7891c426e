#include "sessions/views/points/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sessions/metrics/registry.hpp"
#include "sessions/trust.hpp"
#include "sessions/views/points/file_choices.hpp"
#include "sessions/views/points/metric_text.hpp"
#include "sessions/views/points/result_kind.hpp"
#include "sessions/views/points/ties.hpp"

namespace tilescope {

namespace {

/// The value to show: one that is not finite has no colour.
std::optional<double> value_of(const Measurement& point, const Metric& metric) {
  const std::optional<double> value = metric.value(point);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string failure_text(const Measurement& point) {
  if (has_wrong_values(point)) return "incorrect";
  if (result_kind(point) == ResultKind::faulty) return "faulty";
  switch (point.status) {
    case Status::unchecked:
      return "not checked";
    case Status::wrong_result:
      return "incorrect";
    case Status::compile_failed:
      return "no compile";
    case Status::timed_out:
      return "timed out";
    case Status::invalid_configuration:
      return "invalid";
    default:
      return "failed";
  }
}

HeatSource source_of(const PointIndex& index, const PointIndex::Entry& entry) {
  return {entry.kind, index.devices()[entry.device], entry.older_source};
}

/// Whether source_of(index, entry) == source, without making one for each of ten thousand entries.
bool is_of(const HeatSource& source, const PointIndex& index, const PointIndex::Entry& entry) {
  return entry.kind == source.kind && entry.older_source == source.older_source &&
         index.devices()[entry.device] == source.device;
}

/// For each declared value of a parameter its place on the axis.
std::vector<std::size_t> places_of_codes(const ParameterChoices& parameter, const ValueAxis& axis) {
  std::vector<std::size_t> places;
  places.reserve(parameter.values.size());
  for (const ParameterValue& value : parameter.values) places.push_back(axis.find(value).value_or(0));
  return places;
}

bool is_better(double candidate, double than, const Metric& metric) {
  return metric.smaller_is_better ? candidate < than : candidate > than;
}

enum class Worth { failed, unchecked, correct };

Worth worth_of(const Measurement& point) {
  const ResultKind result = result_kind(point);
  if (result == ResultKind::unchecked) return Worth::unchecked;
  return result == ResultKind::correct ? Worth::correct : Worth::failed;
}

Worth worth_of(const HeatCell& cell) {
  if (cell.state != HeatCell::State::value) return Worth::failed;
  return cell.unchecked ? Worth::unchecked : Worth::correct;
}

/// A correct result replaces any other; among correct ones the better one or, with the others fixed, the newer one.
bool replaces(const HeatCell& cell, Worth worth, double value, const Metric& metric, bool keep_best) {
  if (cell.state == HeatCell::State::empty || !keep_best) return true;
  if (worth != worth_of(cell)) return worth > worth_of(cell);
  return worth != Worth::failed && is_better(value, cell.value, metric);
}

void place_point(HeatCell& cell, const PointIndex::Entry& entry, std::size_t at, const Metric& metric,
                 bool keep_best) {
  const Measurement& point = *entry.point;
  const std::optional<double> value = value_of(point, metric);
  const Worth worth = worth_of(point);
  const bool has_value = worth != Worth::failed && value.has_value();
  // A point that has no such figure leaves the cell empty.
  if (worth != Worth::failed && !value) return;
  if (point.status == Status::cancelled) return;
  if (!replaces(cell, worth, value.value_or(0), metric, keep_best)) return;
  cell.entry = static_cast<std::uint32_t>(at);
  cell.configuration = point.parameters;
  cell.reason = point.reason;
  cell.value = value.value_or(0);
  cell.state = has_value ? HeatCell::State::value : HeatCell::State::failed;
  cell.unchecked = worth == Worth::unchecked;
  if (has_value) {
    cell.text = format_value(cell.value, metric.unit);
  } else {
    cell.text = failure_text(point);
  }
}

void find_range(HeatMapView& view, const Metric& metric) {
  for (const HeatCell& cell : view.cells) {
    if (cell.state != HeatCell::State::value) continue;
    view.low = view.with_value == 0 ? cell.value : std::min(view.low, cell.value);
    view.high = view.with_value == 0 ? cell.value : std::max(view.high, cell.value);
    ++view.with_value;
  }
  if (metric.unit == Unit::percent && metric.source != MetricSource::predicted) {
    view.low = std::min(view.low, 0.0);
    view.relative = view.high > 100;
    view.high = std::max(view.high, 100.0);
    return;
  }
  // A prediction's error is not a share of 100 %.
  view.relative = true;
  view.logarithmic = metric.unit != Unit::percent && view.low > 0 && view.high > 4 * view.low;
}

/// Exact metrics are equal if they print equally.
bool is_tie(const HeatCell& a, const HeatCell& b, const PointIndex& index, const Metric& metric) {
  if (metric.is_open == nullptr) return a.text == b.text;
  return are_tied(metric, *index.entries()[a.entry].point, *index.entries()[b.entry].point);
}

/// Cells whose values are ranked: of correct results, or of unchecked ones where there are no others.
std::vector<std::size_t> ranked_cells(const HeatMapView& view) {
  for (const Worth worth : {Worth::correct, Worth::unchecked}) {
    std::vector<std::size_t> ranked;
    for (std::size_t i = 0; i < view.cells.size(); ++i)
      if (worth_of(view.cells[i]) == worth) ranked.push_back(i);
    if (!ranked.empty()) return ranked;
  }
  return {};
}

void find_first(HeatMapView& view, const PointIndex& index, const Metric& metric) {
  const std::vector<std::size_t> ranked = ranked_cells(view);
  if (ranked.size() < 2) return;
  const auto point_of = [&](std::size_t i) -> const Measurement& {
    return *index.entries()[view.cells[i].entry].point;
  };
  std::vector<const Measurement*> points;
  points.reserve(ranked.size());
  for (const std::size_t i : ranked) points.push_back(&point_of(i));
  if (!do_equal_work(points)) return;
  std::size_t first = ranked.front();
  for (const std::size_t i : ranked)
    if (is_better(view.cells[i].value, view.cells[first].value, metric)) first = i;
  std::size_t ties = 0;
  for (const std::size_t i : ranked) {
    if (i == first || !is_tie(view.cells[i], view.cells[first], index, metric)) continue;
    ++ties;
    view.cells[i].ties_with_best = true;
  }
  if (ties > 0) {
    if (metric.is_open != nullptr) view.ties = ties_words(ties, ranked.size());
    return;
  }
  view.first = first;
  const Measurement& point = point_of(first);
  const bool bad = metric.tone != nullptr && metric.tone(point) == Tone::bad;
  const bool is_best = metric.ranks && !bad && !view.cells[first].unchecked;
  view.first_word = is_best ? "best" : metric.smaller_is_better ? "lowest" : "highest";
  if (metric.ranks) view.first_word += distrust_mark(point);
}

bool has_value_of(const PointIndex& index, const std::vector<std::size_t>& entries, const Metric& metric,
                  const std::optional<std::string>& device) {
  return std::any_of(entries.begin(), entries.end(), [&](std::size_t i) {
    const PointIndex::Entry& entry = index.entries()[i];
    const bool counts =
        worth_of(*entry.point) != Worth::failed && (!device || index.devices()[entry.device] == *device);
    return counts && value_of(*entry.point, metric).has_value();
  });
}

/// Metrics that say most come first; then the order of lists.
std::vector<const Metric*> metrics_by_interest() {
  std::vector<const Metric*> metrics{&metric_of("p50"), &metric_of("predicted_p50"),
                                     &metric_of("bank_conflicts")};
  for (const Metric* metric : heat_metrics()) {
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
  }
  return metrics;
}

std::string words_of(const HeatSource& source, const Metric& metric) {
  const bool is_recorded = source.kind == LatencyKind::recorded;
  if (metric.source == MetricSource::predicted)
    return "predicted for " + source.device + (is_recorded ? ", of the recorded session" : "");
  if (is_recorded) return "recorded on " + source.device;
  switch (metric.source) {
    case MetricSource::timed:
      return to_string(source.kind) + " on " + source.device;
    case MetricSource::calculated:
      return "calculated for " + source.device;
    case MetricSource::counted:
      return "counted for " + source.device;
    case MetricSource::checked:
      return "checked for " + source.device;
    case MetricSource::predicted:
    case MetricSource::compiled:
      break;
  }
  return "compiled for " + source.device;
}

}  // namespace

std::vector<const Metric*> heat_metrics() {
  std::vector<const Metric*> metrics;
  for (const Metric& metric : all_metrics()) {
    if (metric.value != nullptr) metrics.push_back(&metric);
  }
  return metrics;
}

std::string to_words(const HeatSource& source, const Metric& metric) {
  return words_of(source, metric) + (source.older_source ? ", older source" : "");
}

double HeatMapView::shade(double value) const {
  if (!(high > low)) return 0.5;
  if (logarithmic) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

const Metric& first_heat_metric(const PointIndex& index, const Slice& slice, const std::string& device,
                                bool is_present) {
  const std::vector<std::size_t> entries = select(index, slice);
  const std::vector<const Metric*> metrics = metrics_by_interest();
  for (const std::optional<std::string>& of : {std::optional(device), std::optional<std::string>()}) {
    for (const Metric* metric : metrics) {
      if (has_value_of(index, entries, *metric, of)) return *metric;
    }
  }
  return metric_of(is_present ? "p50" : "predicted_p50");
}

std::string scale_words(const HeatMapView& view) {
  if (!view.relative) return "";
  return view.logarithmic ? "relative, log" : "relative";
}

std::string scale_help(const HeatMapView& view) {
  if (!view.relative) return "The same scale in every map, 0 to 100 %: colours can be compared.";
  return std::string("Relative to what is shown: in another map a color may stand for another value.") +
         (view.logarithmic ? " The steps are logarithmic." : "");
}

std::vector<HeatSource> heat_sources(const PointIndex& index, const Slice& slice, const Metric& metric,
                                     const std::string& device) {
  std::vector<HeatSource> sources;
  for (const std::size_t i : select(index, slice)) {
    const PointIndex::Entry& entry = index.entries()[i];
    if (!value_of(*entry.point, metric)) continue;
    HeatSource source = source_of(index, entry);
    if (std::find(sources.begin(), sources.end(), source) == sources.end())
      sources.push_back(std::move(source));
  }
  std::stable_sort(sources.begin(), sources.end(), [&](const HeatSource& a, const HeatSource& b) {
    const auto rank = [&](const HeatSource& s) {
      return std::tuple(s.older_source, s.device != device, static_cast<int>(s.kind));
    };
    return rank(a) < rank(b);
  });
  return sources;
}

HeatMapView heat_map(const PointIndex& index, const Slice& slice, const ValueAxis& x, const ValueAxis& y,
                     const Metric& metric, const HeatSource& source, const Validity& why_invalid) {
  HeatMapView view;
  view.x = x;
  view.y = y;
  view.source = source;
  view.cells.resize(x.values.size() * y.values.size());
  for (std::size_t row = 0; row < y.values.size(); ++row) {
    for (std::size_t column = 0; column < x.values.size(); ++column) {
      HeatCell& cell = view.cells[row * x.values.size() + column];
      cell.configuration = slice.configuration;
      cell.configuration[x.name] = x.values[column];
      cell.configuration[y.name] = y.values[row];
    }
  }

  const std::size_t x_parameter = index.find_parameter(x.name);
  const std::size_t y_parameter = index.find_parameter(y.name);
  if (x_parameter == index.parameters().size() || y_parameter == index.parameters().size()) return view;
  const auto columns = places_of_codes(index.parameters()[x_parameter], x);
  const auto rows = places_of_codes(index.parameters()[y_parameter], y);
  for (const std::size_t i : select(index, slice)) {
    const PointIndex::Entry& entry = index.entries()[i];
    if (!is_of(source, index, entry)) continue;
    const std::size_t column = columns[static_cast<std::size_t>(index.codes(i)[x_parameter])];
    const std::size_t row = rows[static_cast<std::size_t>(index.codes(i)[y_parameter])];
    place_point(view.cells[row * x.values.size() + column], entry, i, metric, slice.all_configurations);
  }
  if (!slice.all_configurations) {
    for (HeatCell& cell : view.cells) {
      if (cell.state == HeatCell::State::value) continue;
      std::string reason = why_invalid(cell.configuration);
      if (reason.empty()) continue;
      cell.state = HeatCell::State::invalid;
      cell.reason = std::move(reason);
      cell.text.clear();
    }
  }
  find_range(view, metric);
  find_first(view, index, metric);
  return view;
}

}  // namespace tilescope
