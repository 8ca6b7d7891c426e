#include "sessions/views/occupancy/occupancy_series.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilescope {

namespace {

using SeriesKey = std::tuple<bool, bool, std::string, int,
                             bool>;  // Older source, another device, its name, limiter, SM full.

/// Dots of two limiters at one value must not hide each other, so each limiter has its own column beside the value.
double column_offset(Limiter limiter, double spacing) {
  return (static_cast<double>(limiter) - 1.5) * spacing * 0.12;
}

struct Place {
  std::int16_t code;
  double percent;
  auto operator<=>(const Place&) const = default;
};

struct Group {
  std::map<Place, OccupancyDot> places;
  /// "limited by registers"
  std::string words;
};

std::vector<OccupancyDot> newest_of_each_value(std::vector<OccupancyDot> dots) {
  std::stable_sort(dots.begin(), dots.end(),
                   [](const OccupancyDot& a, const OccupancyDot& b) { return a.x < b.x; });
  std::vector<OccupancyDot> line;
  for (const OccupancyDot& dot : dots) {
    if (!line.empty() && line.back().x == dot.x) line.pop_back();
    line.push_back(dot);
  }
  return line;
}

}  // namespace

std::string limited_words(const Occupancy& occupancy) {
  return (is_full(occupancy) ? "" : "limited by ") + limiter_words(occupancy);
}

OccupancyView occupancy_against(const PointIndex& index, const Slice& slice, const ValueAxis& axis,
                                const std::string& device) {
  OccupancyView view;
  const std::size_t parameter = index.find_parameter(axis.name);
  if (parameter == index.parameters().size()) return view;

  std::map<SeriesKey, Group> groups;
  std::vector<OccupancyDot> own;
  const std::vector<std::int16_t> chosen = index.encode(slice.configuration);
  for (const std::size_t i : select(index, slice)) {
    const Measurement& point = *index.entries()[i].point;
    if (!point.occupancy) continue;
    const std::int16_t code = index.codes(i)[parameter];
    const auto at = axis.find(index.parameters()[parameter].values[static_cast<std::size_t>(code)]);
    if (!at) continue;
    ++view.points;
    const bool other = point.device.name != device;
    const Limiter limiter = is_full(*point.occupancy) ? Limiter::warps : point.occupancy->limiter;
    const double percent = point.occupancy->fraction * 100;
    const double x = axis.positions[*at];
    const double shift = (other ? 0.1 * axis.spacing() : 0) +
                         (slice.all_configurations ? column_offset(limiter, axis.spacing()) : 0);
    const auto entry = static_cast<std::uint32_t>(i);
    const bool older = index.entries()[i].older_source;
    Group& group =
        groups[{older, other, point.device.name, static_cast<int>(limiter), is_full(*point.occupancy)}];
    group.words = limited_words(*point.occupancy);
    const auto [place, fresh] =
        group.places.try_emplace({code, percent}, OccupancyDot{x + shift, percent, entry, 0});
    place->second.entry = entry;
    ++place->second.count;
    if (other || older) continue;
    own.push_back({x, percent, entry, 1});
    const auto codes = index.codes(i);
    if (std::equal(codes.begin(), codes.end(), chosen.begin()))
      view.current = {{x + shift, percent, entry, 1}};
  }

  for (auto& [key, group] : groups) {
    const auto& [older, other, name, limiter, full] = key;
    OccupancySeries series;
    series.limiter = static_cast<Limiter>(limiter);
    series.device = name;
    series.own_device = !other;
    series.older_source = older;
    series.legend = group.words + (other ? ", " + name : "") + (older ? ", older source" : "");
    for (const auto& [place, dot] : group.places) series.dots.push_back(dot);
    std::sort(series.dots.begin(), series.dots.end(), [](const OccupancyDot& a, const OccupancyDot& b) {
      return std::tie(a.x, a.percent) < std::tie(b.x, b.percent);
    });
    view.series.push_back(std::move(series));
  }
  if (!slice.all_configurations) view.line = newest_of_each_value(std::move(own));
  return view;
}

std::optional<OccupancyHit> nearest_dot(const OccupancyView& view, double x, double percent,
                                        double pixels_per_x, double pixels_per_percent, double radius) {
  double best = radius * radius;
  std::optional<OccupancyHit> hit;
  for (const OccupancySeries& series : view.series) {
    for (const OccupancyDot& dot : series.dots) {
      const double dx = (dot.x - x) * pixels_per_x;
      const double dy = (dot.percent - percent) * pixels_per_percent;
      const double distance = dx * dx + dy * dy;
      if (distance > best) continue;
      best = distance;
      hit = OccupancyHit{dot.entry, dot.count};
    }
  }
  return hit;
}

}  // namespace tilescope
