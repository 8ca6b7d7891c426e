#include "sessions/session_merge.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace tilescope {
namespace {

using PointSet = std::unordered_set<const Measurement*>;

PointSet set_of(const PointList& points) {
  PointSet set;
  set.reserve(points.size());
  for (const auto& point : points) set.insert(point.get());
  return set;
}

}  // namespace

PointList with_known_points(PointList read, const PointList& known) {
  // Other programs add points at the end and seldom take some out: a copy is found at once, or a few places further.
  constexpr std::ptrdiff_t furthest = 64;
  auto next = known.begin();
  for (auto& point : read) {
    const auto end = known.end() - next > furthest ? next + furthest : known.end();
    const auto same = std::find_if(next, end, [&](const auto& one) { return *one == *point; });
    if (same == end) continue;
    point = *same;
    next = same + 1;
  }
  return read;
}

void apply_changes(const PointList& before, const PointList& after, PointList& points) {
  if (points == before) {
    points = after;
    return;
  }
  const PointSet known = set_of(before);
  const PointSet kept = set_of(after);
  std::erase_if(
      points, [&](const auto& point) { return known.contains(point.get()) && !kept.contains(point.get()); });
  for (const auto& point : after) {
    if (!known.contains(point.get())) points.push_back(point);
  }
}

PointList merge_session(Session theirs, const PointList& before, Session& ours) {
  PointList read = std::move(theirs.points);
  theirs.points = with_known_points(read, before);
  for (std::size_t i = 0; i < read.size(); ++i) {
    auto unknown = theirs.unknown_of_points.extract(read[i]);
    if (unknown.empty()) continue;
    unknown.key() = theirs.points[i];
    theirs.unknown_of_points.insert(std::move(unknown));
  }
  PointList in_file = theirs.points;
  apply_changes(before, ours.points, theirs.points);
  theirs.sources.merge(ours.sources);
  theirs.unknown.add(ours.unknown);
  theirs.unknown_of_points.merge(ours.unknown_of_points);
  ours = std::move(theirs);
  return in_file;
}

}  // namespace tilescope
