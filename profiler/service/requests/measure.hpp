#pragma once

#include <string>

#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// How far a point has come that is still being made, in the usual order. Without a GPU `checked` may come before
/// `compiled`: the PTX is there before the machine code.
enum class PointStage {
  /// Valid; the occupancy is an estimate.
  judged,
  /// Registers, shared memory, spills and occupancy are known.
  compiled,
  /// Checked, and where an interpreter does that, counted.
  checked,
  /// A provisional latency. Sent again with the L2-warm series while the L2-cold one is timed, and with both while
  /// counts are added.
  timed,
};
std::string to_string(PointStage stage);
PointStage point_stage_from(const std::string& text);

/// A point that is still being made. It is not a Measurement, so that it can be neither stored, ranked nor
/// saved.
struct PartialPoint {
  /// The one that it reached last.
  PointStage stage = PointStage::judged;
  /// The point as far as it is known: unknown members are absent, and the status is `ok`.
  Measurement so_far;
  /// so_far.occupancy is what the tiles and threads alone allow: the most that it can be once the registers are known.
  bool is_occupancy_estimated = false;
  /// so_far.latency is of ten launches at most, without a stop rule.
  bool is_latency_provisional = false;
  /// The SM clock was still rising when these launches were timed: the latency will fall.
  bool is_clock_rising = false;

  bool operator==(const PartialPoint&) const = default;
};

/// One point: compile, check, and time or count.
struct Measure {
  static constexpr const char* name = "measure";
  static constexpr std::chrono::seconds time_limit{120};
  struct Params {
    Experiment experiment;
    /// Whether the point is sent as it grows: a PartialPoint for each stage, in parts before the answer. The answer
    /// is the same.
    bool stages = false;
    /// Whether a variant for each parameter, one other value of it, is compiled too, to find parameters without effect.
    bool variants = false;
    /// Whether the launch is predicted again without each cause of its time, which takes as long again for each.
    bool explain = false;
  };
  using Answer = Measurement;
  static Answer failed(const Params& params, Status status, std::string reason) {
    return failed_measurement(params.experiment, status, std::move(reason));
  }
};

void to_json(Json& json, const PartialPoint& point);
void to_json(Json& json, const Measure::Params& params);
/// Reading throws DocumentError with the place.
void from_json(const Json& json, PartialPoint& point);
void from_json(const Json& json, Measure::Params& params);

}  // namespace tilescope
