#include "sessions/views/latency_series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilescope {

namespace {

/// Golden-ratio steps fill an interval evenly for any number of points, and are the same in every frame.
double spread_offset(std::size_t ordinal) {
  const double turn = static_cast<double>(ordinal) * 0.6180339887498949;
  return turn - std::floor(turn) - 0.5;
}

LatencyDot dot_of(const Latency& latency, double x, std::size_t entry) {
  return {x, latency.p50_us, std::max(0.0, latency.p50_us - latency.p10_us),
          std::max(0.0, latency.p90_us - latency.p50_us), static_cast<std::uint32_t>(entry)};
}

std::string legend_of(const LatencySeries& series) {
  const char* const preposition = series.kind == LatencyKind::predicted ? " for " : " on ";
  return (series.wrong ? "wrong result, " : "") + to_string(series.kind) + preposition + series.device +
         (series.older_source ? ", older source" : "");
}

/// Correct before incorrect, the current source before older ones, the chosen device before others, measured before
/// predicted before recorded.
using SeriesKey = std::tuple<bool, bool, bool, int, std::string>;

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

void count_other_shapes(LatencyView& view, const PointIndex& index, const Slice& slice) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const PointIndex::Entry& entry : index.entries()) {
    if (!entry.point->latency || index.shapes()[entry.shape] == slice.shape) continue;
    ++counts[entry.shape];
    ++view.of_other_shapes;
  }
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most != counts.end()) view.other_shape = index.shapes()[most->first];
}

}  // namespace

LatencyView latency_against(const PointIndex& index, const Slice& slice, const ValueAxis& axis,
                            const std::string& device) {
  LatencyView view;
  count_other_shapes(view, index, slice);
  const std::size_t parameter = index.find_parameter(axis.name);
  if (parameter == index.parameters().size()) return view;

  std::vector<double> position_of_code;
  for (const ParameterValue& value : index.parameters()[parameter].values) {
    const auto at = axis.find(value);
    position_of_code.push_back(at ? axis.positions[*at] : std::nan(""));
  }

  std::map<SeriesKey, LatencySeries> groups;
  const double spread = slice.all_configurations ? axis.spacing() * 0.56 : 0;
  for (const std::size_t i : select(index, slice)) {
    const PointIndex::Entry& entry = index.entries()[i];
    const Measurement& point = *entry.point;
    const double value = position_of_code[static_cast<std::size_t>(index.codes(i)[parameter])];
    const double x = value + spread * spread_offset(i);
    if (!point.latency) {
      if (point.status == Status::ok) ++view.without_latency;
      // A failure that an edit may have fixed does not replace the current point.
      const bool shown = slice.all_configurations || !entry.older_source;
      if (shown && point.status != Status::ok && point.status != Status::cancelled) {
        view.failed.push_back({x, static_cast<std::uint32_t>(i), entry.older_source});
      }
      continue;
    }
    const bool wrong = point.status != Status::ok;
    LatencySeries& series = groups[{wrong, entry.older_source, point.device.name != device,
                                    static_cast<int>(entry.kind), point.device.name}];
    series.kind = entry.kind;
    series.device = point.device.name;
    series.wrong = wrong;
    series.older_source = entry.older_source;
    series.dots.push_back(dot_of(*point.latency, x, i));
  }
  for (auto& [key, series] : groups) {
    series.legend = legend_of(series);
    if (!slice.all_configurations) keep_newest_of_each_value(series.dots);
    view.series.push_back(std::move(series));
  }
  find_current(view, index, slice.configuration);
  find_range(view);
  return view;
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
