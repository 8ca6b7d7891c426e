#include "app/commands/fit_points.hpp"

#include <algorithm>
#include <optional>

#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/service/client/carried_source.hpp"

namespace tilescope {
namespace {

bool is_timed(const Measurement& point) {
  return point.status == Status::ok && point.latency && point.latency->p50_us > 0;
}

std::string device_of(const Measurement& point, const std::vector<DeviceModel>& tables) {
  const DeviceModel* table = match_device(tables, point.device.name);
  return table == nullptr ? point.device.name : table->name;
}

// Hashes of the kernels' sources as their files are now, each read once.
class SourcesNow {
 public:
  explicit SourcesNow(const Installation& installation) : installation_(installation) {}

  // "" where there is no such kernel.
  const std::string& sha256(const std::string& kernel) {
    const auto [found, is_new] = known_.try_emplace(kernel);
    if (is_new) {
      if (auto source = find_kernel_source(installation_, kernel))
        found->second = kernel_source_of(*std::move(source)).sha256;
    }
    return found->second;
  }

 private:
  const Installation& installation_;
  std::map<std::string, std::string> known_;
};

}  // namespace

std::map<std::string, std::size_t> timed_points(const Session& session,
                                                const std::vector<DeviceModel>& tables) {
  std::map<std::string, std::size_t> points;
  for (const auto& point : session.points) {
    if (is_timed(*point)) ++points[device_of(*point, tables)];
  }
  return points;
}

std::string most_frequent(const std::map<std::string, std::size_t>& points) {
  const auto most = std::ranges::max_element(points, {}, [](const auto& device) { return device.second; });
  return most == points.end() ? "" : most->first;
}

FitPoints fit_points(const Session& session, const DeviceModel& device,
                     const std::vector<DeviceModel>& tables, const Installation& installation) {
  FitPoints result;
  SourcesNow now(installation);
  std::map<std::string, std::size_t> places;  // by configuration and machine code
  for (const auto& point : session.points) {
    if (!is_timed(*point) || match_device({device}, device_of(*point, tables)) == nullptr) continue;
    if (!point->resources || point->resources->sass_sha256.empty()) {
      ++result.without_code;
      continue;
    }
    Experiment experiment = experiment_of(*point);
    experiment.device = device.name;
    const RecordedLatency recorded{point->latency->p50_us, point->resources->sass_sha256};
    const auto [place, is_new] =
        places.try_emplace(identity(experiment) + recorded.sass_sha256, result.experiments.size());
    if (!is_new) {
      result.recorded[place->second] = recorded;
      continue;
    }
    const std::string& sha256 = point->provenance.source_sha256;
    const auto source = session.sources.find(sha256);
    if (source != session.sources.end() && now.sha256(point->kernel) != sha256)
      experiment.source = source->second;
    result.experiments.push_back(std::move(experiment));
    result.recorded.push_back(recorded);
  }
  return result;
}

}  // namespace tilescope
