#include "profiler/service/client/point_store.hpp"

#include <algorithm>

namespace tilescope {
namespace {

bool have_one_origin(const Measurement& a, const Measurement& b) {
  return a.provenance.source_sha256 == b.provenance.source_sha256 && a.device.present == b.device.present;
}

void keep_newest(std::vector<SharedMeasurement>& points, const SharedMeasurement& point) {
  std::erase_if(points, [&](const SharedMeasurement& former) { return have_one_origin(*former, *point); });
  points.push_back(point);
}

}  // namespace

void PointStore::add(const SharedMeasurement& point) {
  keep_newest(points_[identity(experiment_of(*point))], point);
}

void PointStore::add(const Experiment& asked, const SharedMeasurement& point) {
  keep_newest(points_[identity(asked)], point);
  add(point);
}

void PointStore::remove(const SharedMeasurement& point) {
  for (auto& [identity, points] : points_) std::erase(points, point);
  std::erase_if(points_, [](const auto& entry) { return entry.second.empty(); });
}

std::optional<PointStore::Found> PointStore::find(const Experiment& experiment,
                                                  const Circumstances& now) const {
  const auto found = points_.find(identity(experiment));
  if (found == points_.end()) return std::nullopt;
  const std::vector<SharedMeasurement>& points = found->second;
  const auto is_final = [&](const SharedMeasurement& point) {
    return standing_of(*point, now) == Standing::final;
  };
  const auto last_final = std::find_if(points.rbegin(), points.rend(), is_final);
  const SharedMeasurement& point = last_final == points.rend() ? points.back() : *last_final;
  return Found{point, standing_of(*point, now)};
}

}  // namespace tilescope
