#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "sessions/shared_measurement.hpp"
#include "sessions/standing.hpp"

namespace tilescope {

/// The points that are there, by experiment, by the hash of the kernel's source, and by whether the GPU was present:
/// sliders, sweeps and searches look here before they ask the worker.
class PointStore {
 public:
  void add(const SharedMeasurement& point);
  /// Adds a point under an experiment that was asked for in other words, such as without a device or with a
  /// parameter less.
  void add(const Experiment& asked, const SharedMeasurement& point);

  /// Forgets a point, under whatever experiment it was added.
  void remove(const SharedMeasurement& point);

  struct Found {
    SharedMeasurement point;
    Standing standing = Standing::final;
  };
  /// The newest point of an experiment that is final now, or else the newest one whatever its standing. The
  /// experiment's parameters are complete and its device is named.
  std::optional<Found> find(const Experiment& experiment, const Circumstances& now) const;

 private:
  /// By identity(): the newest point of each source and presence, oldest first.
  std::unordered_map<std::string, std::vector<SharedMeasurement>> points_;
};

}  // namespace tilescope
