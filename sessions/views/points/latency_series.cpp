#include "sessions/views/points/latency_series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// Golden-ratio steps fill an interval evenly for any number of points, and are the same in every frame.
double spread_offset(std::size_t ordinal) {
  const double turn = static_cast<double>(ordinal) * 0.6180339887498949;
  return turn - std::floor(turn) - 0.5;
}

LatencyDot dot_of(double low_us, double p50_us, double high_us, double x, std::size_t entry) {
  return {x, p50_us, std::max(0.0, p50_us - low_us), std::max(0.0, high_us - p50_us),
          static_cast<std::uint32_t>(entry)};
}

std::string legend_of(const LatencySeries& series) {
  std::string text = result_prefix(series.result);
  if (series.predicted) {
    text += "predicted for " + series.device +
            (series.kind == LatencyKind::recorded ? ", of the recorded session" : "");
  } else {
    text += to_string(series.kind) + " on " + series.device;
  }
  return text + (series.older_source ? ", older source" : "");
}

/// By the kind of the result, the source as it is now before older ones, the device under the pickers before
/// others, what was timed before predictions, measured before recorded.
using SeriesKey = std::tuple<ResultKind, bool, bool, bool, int, std::string>;
using SeriesMap = std::map<SeriesKey, LatencySeries>;

LatencySeries& series_of(SeriesMap& groups, const PointIndex::Entry& entry, const std::string& device,
                         bool predicted) {
  const Measurement& point = *entry.point;
  const ResultKind result = result_kind(point);
  LatencySeries& series = groups[{result, entry.older_source, point.device.name != device, predicted,
                                  static_cast<int>(entry.kind), point.device.name}];
  series.kind = entry.kind;
  series.predicted = predicted;
  series.device = point.device.name;
  series.own_device = point.device.name == device;
  series.result = result;
  series.wrong = result == ResultKind::faulty || result == ResultKind::incorrect;
  series.older_source = entry.older_source;
  return series;
}

bool has_timed_dot(const Measurement& point) {
  return point.latency && std::isfinite(point.latency->p50_us);
}

bool has_predicted_dot(const Measurement& point) {
  return point.prediction && std::isfinite(point.prediction->p50_us);
}

bool has_dot(const Measurement& point) {
  return has_timed_dot(point) || has_predicted_dot(point);
}

void keep_newest_of_each_value(std::vector<LatencyDot>& dots) {
  std::stable_sort(dots.begin(), dots.end(),
                   [](const LatencyDot& a, const LatencyDot& b) { return a.x < b.x; });
  std::vector<LatencyDot> kept;
  for (const LatencyDot& dot : dots) {
    if (!kept.empty() && kept.back().x == dot.x) {
      kept.back() = dot;
    } else {
      kept.push_back(dot);
    }
  }
  dots = std::move(kept);
}

void find_current(LatencyView& view, const PointIndex& index, const Configuration& configuration) {
  const std::vector<std::int16_t> own = index.encode(configuration);
  for (const LatencySeries& series : view.series) {
    // Drawn behind the others: only marked if there is no point of the current source.
    if (series.older_source && !view.current.empty()) continue;
    const LatencyDot* newest = nullptr;
    for (const LatencyDot& dot : series.dots) {
      const auto codes = index.codes(dot.entry);
      if (!std::equal(codes.begin(), codes.end(), own.begin())) continue;
      if (newest == nullptr || newest->entry < dot.entry) newest = &dot;
    }
    if (newest != nullptr) view.current.push_back(*newest);
  }
}

void find_range(LatencyView& view) {
  bool first = true;
  for (const LatencySeries& series : view.series) {
    for (const LatencyDot& dot : series.dots) {
      const double low = dot.p50_us - dot.below_us;
      const double high = dot.p50_us + dot.above_us;
      view.low_us = first ? low : std::min(view.low_us, low);
      view.high_us = first ? high : std::max(view.high_us, high);
      first = false;
    }
  }
}

void count_by_shape(LatencyView& view, const PointIndex& index, const Slice& slice) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const PointIndex::Entry& entry : index.entries()) {
    if (!has_dot(*entry.point)) continue;
    if (index.shapes()[entry.shape] == slice.shape) {
      ++view.of_this_shape;
      continue;
    }
    ++counts[entry.shape];
    ++view.of_other_shapes;
  }
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != counts.end()) view.other_shape = index.shapes()[most->first];
}

void find_elsewhere(LatencyView& view, const PointIndex& index, const Shape& shape) {
  const auto is_timed = [](const LatencySeries& series) { return !series.predicted; };
  if (std::any_of(view.series.begin(), view.series.end(), is_timed)) return;
  std::map<std::string, TimedElsewhere> by_device;
  for (const PointIndex::Entry& entry : index.entries()) {
    if (!has_timed_dot(*entry.point)) continue;
    TimedElsewhere& device = by_device[entry.point->device.name];
    device.device = entry.point->device.name;
    ++device.points;
    if (index.shapes()[entry.shape] == shape) ++device.of_this_shape;
  }
  for (const auto& [name, device] : by_device) {
    if (!view.elsewhere || view.elsewhere->points < device.points) view.elsewhere = device;
  }
}

}  // namespace

LatencyView latency_against(const PointIndex& index, const Slice& slice, const ValueAxis& axis,
                            const std::string& device) {
  LatencyView view;
  count_by_shape(view, index, slice);
  const std::size_t parameter = index.find_parameter(axis.name);
  if (parameter == index.parameters().size()) return view;

  std::vector<double> position_of_code;
  for (const ParameterValue& value : index.parameters()[parameter].values) {
    const auto at = axis.find(value);
    position_of_code.push_back(at ? axis.positions[*at] : std::nan(""));
  }

  SeriesMap groups;
  const double spread = slice.all_configurations ? axis.spacing() * 2 * spread_in_column : 0;
  for (const std::size_t i : select(index, slice)) {
    const PointIndex::Entry& entry = index.entries()[i];
    const Measurement& point = *entry.point;
    const double value = position_of_code[static_cast<std::size_t>(index.codes(i)[parameter])];
    const double x = value + spread * spread_offset(i);
    if (!has_dot(point)) {
      const bool has_result = result_kind(point) != ResultKind::incorrect;
      if (has_result) ++view.without_latency;
      // A failure that an edit may have fixed does not replace the current point.
      const bool shown = slice.all_configurations || !entry.older_source;
      if (shown && !has_result && point.status != Status::cancelled) {
        view.failed.push_back({x, static_cast<std::uint32_t>(i), entry.older_source});
      }
      continue;
    }
    if (has_timed_dot(point)) {
      const Latency& timed = *point.latency;
      series_of(groups, entry, device, false)
          .dots.push_back(dot_of(timed.p10_us, timed.p50_us, timed.p90_us, x, i));
    }
    if (has_predicted_dot(point)) {
      const Prediction& predicted = *point.prediction;
      series_of(groups, entry, device, true)
          .dots.push_back(dot_of(predicted.low_us, predicted.p50_us, predicted.high_us, x, i));
    }
  }
  for (auto& [key, series] : groups) {
    series.legend = legend_of(series);
    if (!slice.all_configurations) keep_newest_of_each_value(series.dots);
    view.series.push_back(std::move(series));
  }
  find_current(view, index, slice.configuration);
  find_range(view);
  find_elsewhere(view, index, slice.shape);
  return view;
}

std::string timed_elsewhere_words(const TimedElsewhere& elsewhere) {
  const auto were = [](std::size_t points) {
    return format_points(points) + (points == 1 ? " was" : " were");
  };
  const std::string text =
      were(elsewhere.points) + " measured on " + elsewhere.device + ", none at these settings.";
  if (elsewhere.of_this_shape == 0) return text + " All of them have other shapes.";
  return text + " Tick All settings to see " + format_points(elsewhere.of_this_shape) + " of this shape.";
}

std::string latency_axis_words(const LatencyView& view, bool is_short) {
  const auto is_predicted = [](const LatencySeries& series) { return series.predicted; };
  const bool any = std::any_of(view.series.begin(), view.series.end(), is_predicted);
  const bool all = any && std::all_of(view.series.begin(), view.series.end(), is_predicted);
  if (all) return is_short ? "predicted [µs]" : "predicted p50 with its band [µs]";
  if (is_short) return "p50 [µs]";
  return any ? "p50, measured and predicted [µs]" : "p50 with p10 to p90 [µs]";
}

std::optional<std::uint32_t> nearest_dot(const LatencyView& view, double x, double y_us, PixelScale scale,
                                         double radius) {
  const auto height = [&](double us) { return scale.log_y ? std::log10(us) : us; };
  const double y = height(y_us);
  double best = radius * radius;
  std::optional<std::uint32_t> found;
  for (const LatencySeries& series : view.series) {
    for (const LatencyDot& dot : series.dots) {
      const double dx = (dot.x - x) * scale.per_x;
      if (dx > radius || dx < -radius) continue;
      const double dy = (height(dot.p50_us) - y) * scale.per_y;
      const double distance = dx * dx + dy * dy;
      if (distance > best) continue;
      best = distance;
      found = dot.entry;
    }
  }
  return found;
}

}  // namespace tilescope
