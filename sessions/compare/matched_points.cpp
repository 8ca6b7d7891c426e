#include "sessions/compare/matched_points.hpp"
#include "sessions/shared_measurement.hpp"

#include <map>
#include <utility>

namespace tilescope {
namespace {

// The device by its name: in another machine it may not be present.
std::string key_of(const Measurement& point) {
  return point.device.name + "\n" + identity(experiment_of(point));
}

struct Newest {
  std::vector<std::string> order;
  std::map<std::string, SharedMeasurement> points;
};

Newest newest_of(const Session& session) {
  Newest newest;
  for (const SharedMeasurement& point : session.points) {
    const std::string key = key_of(*point);
    const auto [found, is_new] = newest.points.emplace(key, point);
    if (is_new) newest.order.push_back(key);
    if (point->latency || !found->second->latency) found->second = point;
  }
  return newest;
}

}  // namespace

Matches match_points(const Session& a, const Session& b) {
  Newest in_a = newest_of(a), in_b = newest_of(b);
  Matches matches;
  for (const std::string& key : in_b.order) {
    const auto found = in_a.points.find(key);
    if (found == in_a.points.end()) {
      matches.only_b.push_back(in_b.points.at(key));
    } else {
      matches.pairs.push_back({found->second, in_b.points.at(key)});
    }
  }
  for (const std::string& key : in_a.order) {
    if (!in_b.points.contains(key)) matches.only_a.push_back(in_a.points.at(key));
  }
  return matches;
}

}  // namespace tilescope
