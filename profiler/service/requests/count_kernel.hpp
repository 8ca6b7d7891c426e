#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "profiler/service/requests/counted_code.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// How a kernel is interpreted, beside the experiment.
struct CountOptions {
  /// Look for races and other faults.
  bool check = false;
  /// Runs the warps in a seeded random order; 0 for the plain one.
  std::uint64_t schedule_seed = 0;
  /// Answer with the machine code, instruction by instruction.
  bool machine_code = false;
  /// Answer with the predicted times of its instructions alone, where they are explained.
  bool instruction_times = false;

  bool operator==(const CountOptions&) const = default;
};

/// A point, and what belongs to this count of it and is not kept in sessions.
struct CountedPoint : Measurement {
  CountedPoint() = default;
  CountedPoint(Measurement point) : Measurement(std::move(point)) {}

  /// For CountOptions::machine_code, where the kernel ran.
  std::optional<CountedCode> machine_code;
  /// For CountOptions::instruction_times.
  std::vector<InstructionTime> instruction_times;
};

/// Interprets the kernel, whatever GPU is there: a point with memory and findings, and without a latency.
struct CountKernel {
  static constexpr const char* name = "trace";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
    CountOptions options;
    /// As in Measure::Params.
    bool variants = false, explain = false;
  };
  using Answer = CountedPoint;
  static Answer failed(const Params& params, Status status, std::string reason) {
    return failed_measurement(params.experiment, status, std::move(reason));
  }
};

/// Reading throws DocumentError with the place.
void to_json(Json& json, const CountOptions& counting);
void from_json(const Json& json, CountOptions& counting);
void to_json(Json& json, const CountKernel::Params& params);
void from_json(const Json& json, CountKernel::Params& params);
/// The point's own document with "machine_code" beside its fields, where there is one.
void to_json(Json& json, const CountedPoint& point);
void from_json(const Json& json, CountedPoint& point);

}  // namespace tilescope
