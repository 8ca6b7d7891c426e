#include "sessions/views/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/metric_text.hpp"

namespace tilescope {

namespace {

/// The value to show: one that is not finite has no colour.
std::optional<double> value_of(const Measurement& point, const Metric& metric) {
  const std::optional<double> value = metric.value(point);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string failure_text(Status status) {
  switch (status) {
    case Status::wrong_result:
      return "wrong";
    case Status::compile_failed:
      return "no compile";
    case Status::timed_out:
      return "timed out";
    case Status::invalid_configuration:
      return "illegal";
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
  for (const ParameterValue& value : parameter.values) places.push_back(axis.find(value).value_or(0));
  return places;
}

bool is_better(double candidate, double than, const Metric& metric) {
  return metric.smaller_is_better ? candidate < than : candidate > than;
}

/// A right result replaces any other; among right ones the better one or, with the others fixed, the newer
/// one.
bool replaces(const HeatCell& cell, bool right, double value, const Metric& metric, bool keep_best) {
  if (cell.state == HeatCell::State::empty) return true;
  const bool was_right = cell.state == HeatCell::State::value;
  if (!keep_best) return true;
  if (right != was_right) return right;
  return right && is_better(value, cell.value, metric);
}

void place_point(HeatCell& cell, const PointIndex::Entry& entry, std::size_t at, const Metric& metric,
                 bool keep_best) {
  const Measurement& point = *entry.point;
  const std::optional<double> value = value_of(point, metric);
  const bool right = point.status == Status::ok && value.has_value();
  if (point.status == Status::ok && !value) return;  // A point that has no such figure leaves the cell empty.
  if (point.status == Status::cancelled) return;
  if (!replaces(cell, right, value.value_or(0), metric, keep_best)) return;
  cell.entry = static_cast<std::uint32_t>(at);
  cell.configuration = point.parameters;
  cell.reason = point.reason;
  cell.value = value.value_or(0);
  cell.state = right ? HeatCell::State::value : HeatCell::State::failed;
  cell.text = right ? format_value(cell.value, metric.unit) : failure_text(point.status);
}

void find_range_and_best(HeatMapView& view, const Metric& metric) {
  for (std::size_t i = 0; i < view.cells.size(); ++i) {
    const HeatCell& cell = view.cells[i];
    if (cell.state != HeatCell::State::value) continue;
    view.low = view.with_value == 0 ? cell.value : std::min(view.low, cell.value);
    view.high = view.with_value == 0 ? cell.value : std::max(view.high, cell.value);
    if (!view.best || is_better(cell.value, view.cells[*view.best].value, metric)) view.best = i;
    ++view.with_value;
  }
  view.logarithmic = view.low > 0 && view.high > 4 * view.low;
}

std::string words_of(const HeatSource& source, const Metric& metric) {
  if (source.kind == LatencyKind::recorded) return "recorded on " + source.device;
  switch (metric.source) {
    case MetricSource::timed:
      return to_string(source.kind) + " on " + source.device;
    case MetricSource::calculated:
      return "calculated for " + source.device;
    case MetricSource::counted:
      return "counted for " + source.device;
    case MetricSource::checked:
      return "checked for " + source.device;
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
                     const Metric& metric, const HeatSource& source, const Legality& why_invalid) {
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
      cell.state = HeatCell::State::illegal;
      cell.reason = std::move(reason);
      cell.text.clear();
    }
  }
  find_range_and_best(view, metric);
  return view;
}

}  // namespace tilescope
