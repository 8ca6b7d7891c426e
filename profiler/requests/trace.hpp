#pragma once

#include <cstdint>

#include "profiler/requests/request.hpp"

namespace tilescope {

/// How a kernel is interpreted, beside the experiment.
struct Tracing {
  /// Look for races and other faults.
  bool check = false;
  /// Runs the warps in a seeded random order; 0 for the plain one.
  std::uint64_t schedule_seed = 0;

  bool operator==(const Tracing&) const = default;
};

/// Interprets the kernel, whatever GPU is there: a point with memory and findings, and without a latency.
struct Trace {
  static constexpr const char* name = "trace";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
    Tracing options;
  };
  using Answer = Measurement;
  static Answer failed(const Params& params, Status status, std::string reason) {
    return failed_measurement(params.experiment, status, std::move(reason));
  }
};

/// Reading throws DocumentError with the place.
void to_json(Json& json, const Tracing& tracing);
void from_json(const Json& json, Tracing& tracing);
void to_json(Json& json, const Trace::Params& params);
void from_json(const Json& json, Trace::Params& params);

}  // namespace tilescope
