#include "sessions/views/heat_map.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "sessions/views/format.hpp"
#include "sessions/views/memory_text.hpp"

namespace tilescope {

namespace {

std::optional<double> value_of(const Measurement& point, HeatValue value) {
  switch (value) {
    case HeatValue::latency:
      if (!point.latency) return std::nullopt;
      return point.latency->p50_us;
    case HeatValue::occupancy:
      if (!point.occupancy) return std::nullopt;
      return point.occupancy->fraction * 100;
    case HeatValue::bank_conflicts:
      if (const auto share = conflict_share(point)) return *share * 100;
      return std::nullopt;
    case HeatValue::registers:
      if (!point.resources) return std::nullopt;
      return static_cast<double>(point.resources->registers);
    case HeatValue::shared_memory:
      if (!point.resources) return std::nullopt;
      return static_cast<double>(point.resources->static_shared_bytes +
                                 point.resources->dynamic_shared_bytes);
  }
  return std::nullopt;
}

std::string cell_text(double value, HeatValue what) {
  switch (what) {
    case HeatValue::latency:
      return format_us(value);
    case HeatValue::occupancy:
    case HeatValue::bank_conflicts:
      return format_number(value, 1);
    case HeatValue::registers:
    case HeatValue::shared_memory:
      break;
  }
  return format_count(std::llround(value));
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

/// For each declared value of a parameter its place on the axis.
std::vector<std::size_t> places_of_codes(const ParameterChoices& parameter, const ValueAxis& axis) {
  std::vector<std::size_t> places;
  for (const ParameterValue& value : parameter.values) places.push_back(axis.find(value).value_or(0));
  return places;
}

bool is_better(double candidate, double than, HeatValue value) {
  return smaller_is_better(value) ? candidate < than : candidate > than;
}

/// A right result replaces any other; among right ones the better one or, with the others fixed, the newer
/// one.
bool replaces(const HeatCell& cell, bool right, double value, HeatValue what, bool keep_best) {
  if (cell.state == HeatCell::State::empty) return true;
  const bool was_right = cell.state == HeatCell::State::value;
  if (!keep_best) return true;
  if (right != was_right) return right;
  return right && is_better(value, cell.value, what);
}

void place_point(HeatCell& cell, const PointIndex::Entry& entry, std::size_t at, HeatValue what,
                 bool keep_best) {
  const Measurement& point = *entry.point;
  const std::optional<double> value = value_of(point, what);
  const bool right = point.status == Status::ok && value.has_value();
  if (point.status == Status::ok && !value) return;  // A point that has no such figure leaves the cell empty.
  if (point.status == Status::cancelled) return;
  if (!replaces(cell, right, value.value_or(0), what, keep_best)) return;
  cell.entry = static_cast<std::uint32_t>(at);
  cell.configuration = point.parameters;
  cell.reason = point.reason;
  cell.value = value.value_or(0);
  cell.state = right ? HeatCell::State::value : HeatCell::State::failed;
  cell.text = right ? cell_text(cell.value, what) : failure_text(point.status);
}

void find_range_and_best(HeatMapView& view, HeatValue value) {
  for (std::size_t i = 0; i < view.cells.size(); ++i) {
    const HeatCell& cell = view.cells[i];
    if (cell.state != HeatCell::State::value) continue;
    view.low = view.with_value == 0 ? cell.value : std::min(view.low, cell.value);
    view.high = view.with_value == 0 ? cell.value : std::max(view.high, cell.value);
    if (!view.best || is_better(cell.value, view.cells[*view.best].value, value)) view.best = i;
    ++view.with_value;
  }
  view.logarithmic = view.low > 0 && view.high > 4 * view.low;
}

}  // namespace

std::string to_words(HeatValue value) {
  switch (value) {
    case HeatValue::latency:
      return "latency p50 [µs]";
    case HeatValue::occupancy:
      return "occupancy [%]";
    case HeatValue::bank_conflicts:
      return "bank conflicts [%]";
    case HeatValue::registers:
      return "registers per thread";
    case HeatValue::shared_memory:
      return "shared memory per block [B]";
  }
  return {};
}

bool smaller_is_better(HeatValue value) {
  return value != HeatValue::occupancy;
}

namespace {

std::string words_of(const HeatSource& source, HeatValue value) {
  if (source.kind == LatencyKind::recorded) return "recorded on " + source.device;
  switch (value) {
    case HeatValue::latency:
      return to_string(source.kind) + " on " + source.device;
    case HeatValue::occupancy:
      return "calculated for " + source.device;
    case HeatValue::bank_conflicts:
      return "counted for " + source.device;
    case HeatValue::registers:
    case HeatValue::shared_memory:
      break;
  }
  return "compiled for " + source.device;
}

}  // namespace

std::string to_words(const HeatSource& source, HeatValue value) {
  return words_of(source, value) + (source.older_source ? ", older source" : "");
}

double HeatMapView::shade(double value) const {
  if (!(high > low)) return 0.5;
  if (logarithmic) return (std::log(value) - std::log(low)) / (std::log(high) - std::log(low));
  return (value - low) / (high - low);
}

std::vector<HeatSource> heat_sources(const PointIndex& index, const Slice& slice, HeatValue value,
                                     const std::string& device) {
  std::vector<HeatSource> sources;
  for (const std::size_t i : select(index, slice)) {
    const PointIndex::Entry& entry = index.entries()[i];
    if (!value_of(*entry.point, value)) continue;
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
                     HeatValue value, const HeatSource& source, const Legality& why_invalid) {
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
    if (!(source_of(index, entry) == source)) continue;
    const std::size_t column = columns[static_cast<std::size_t>(index.codes(i)[x_parameter])];
    const std::size_t row = rows[static_cast<std::size_t>(index.codes(i)[y_parameter])];
    place_point(view.cells[row * x.values.size() + column], entry, i, value, slice.all_configurations);
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
  find_range_and_best(view, value);
  return view;
}

}  // namespace tilescope
