#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// A point as a session records it: the latency to fit to, and the code that took it.
struct RecordedLatency {
  /// [us]
  double p50_us = 0;
  /// Resources::sass_sha256
  std::string sass_sha256;

  bool operator==(const RecordedLatency&) const = default;
};

/// Fits the model of latency of a device to measured points: each is compiled for the device and executed, without a
/// GPU, and the parameters are those with which predicted latencies are nearest to the measured ones. In JSON each
/// source that an experiment carries is written once (experiment_list.hpp).
struct Fit {
  static constexpr const char* name = "fit";
  /// Fewer points than this are not fitted to.
  static constexpr std::size_t least_points = 20;
  /// [s] A point that takes longer to execute is skipped.
  static constexpr double point_limit_s = 60;
  static constexpr std::chrono::seconds time_limit{1800};
  /// Several times what these points take.
  static constexpr std::chrono::seconds time_limit_of(std::size_t points) {
    return time_limit + std::chrono::seconds(10 * points);
  }
  /// RequestProgress::stage
  static constexpr const char* executing = "execute";
  static constexpr const char* fitting = "fit";

  struct Params {
    /// The device to fit, whose own `fitted` figures are where the fit starts.
    DeviceModel device;
    /// For the figures: "SESSION.json, 2026-11-23".
    std::string source;
    std::vector<Experiment> experiments;
    /// One for each experiment.
    std::vector<RecordedLatency> recorded;
  };
  /// Points that were not fitted to, for one reason.
  struct Skipped {
    std::string reason;
    std::int64_t points = 0;

    bool operator==(const Skipped&) const = default;
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// How many points were fitted to.
    std::int64_t points = 0;
    /// The most frequent reason first.
    std::vector<Skipped> skipped;
    /// Means of |predicted / measured - 1| over these points.
    double error_before = 0, error_after = 0;
    /// With its fitted figures; the device as it was where the status is not ok.
    DeviceModel device;
  };
};

void to_json(Json& json, const RecordedLatency& latency);
void to_json(Json& json, const Fit::Skipped& skipped);
void to_json(Json& json, const Fit::Params& params);
void to_json(Json& json, const Fit::Answer& answer);
/// Reading throws DocumentError with the place.
void from_json(const Json& json, RecordedLatency& latency);
void from_json(const Json& json, Fit::Skipped& skipped);
void from_json(const Json& json, Fit::Params& params);
void from_json(const Json& json, Fit::Answer& answer);

}  // namespace tilescope
