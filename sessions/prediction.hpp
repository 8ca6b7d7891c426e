#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// Contribution of one resource to a predicted latency.
struct PredictionPart {
  /// "tensor cores", "shared memory"
  std::string name;
  /// [us]
  double microseconds = 0;

  bool operator==(const PredictionPart&) const = default;
};

/// How far predicted ratios of latencies are from measured ones: the natural logarithm of the factor within which 95 % of
/// the held-out ratios lie.
struct RatioError {
  /// Between configurations of one kernel.
  double same_kernel = 0;
  /// Between kernels.
  double kernels = 0;

  bool operator==(const RatioError&) const = default;
};

/// The latency that the model expects of the launch without one cause of its time.
struct Counterfactual {
  /// "bank_conflicts", "few_warps"
  std::string cause;
  /// Lines of the kernel's file at which alone the cause is removed; empty where it is removed everywhere.
  std::vector<std::int64_t> lines;
  /// [us]
  double p50_us = 0;

  bool operator==(const Counterfactual&) const = default;
};

/// Warps that wait for a reason, for each warp instruction that is issued: Nsight Compute's "warps stalled per issue".
struct StallReason {
  /// "long_scoreboard", as Nsight Compute has it.
  std::string name;
  double warps = 0;

  bool operator==(const StallReason&) const = default;
};

/// The part of a predicted latency in which the instructions of a source line are issued, and in which warps wait before
/// they are.
struct LineTime {
  /// In `file`, for inlined code the line of the call; 0: unknown.
  std::int64_t line = 0;
  /// Where in inlined code it is, as accessing_place(); "" for the line itself.
  std::string inlined_place;
  /// [us]
  double issue_us = 0, wait_us = 0;
  /// Warp instructions of the whole launch.
  double executions = 0;
  /// A name without a folder; "" for the file that declares the kernel.
  std::string file{};

  double us() const { return issue_us + wait_us; }
  bool operator==(const LineTime&) const = default;
};

/// The part of a predicted latency that an instruction of the machine code takes, as LineTime. Not kept in sessions.
struct InstructionTime {
  /// [B] from the start of its function
  std::int64_t address = 0;
  /// 0 where it is not known.
  std::int64_t ptx_line = 0;
  /// Warp instructions of the whole launch.
  double executions = 0;
  /// [us]
  double issue_us = 0, wait_us = 0;

  double us() const { return issue_us + wait_us; }
  bool operator==(const InstructionTime&) const = default;
};

/// The longest block of the SM that finishes last.
struct LongestBlock {
  /// x + grid.x * (y + grid.y * z)
  std::int64_t index = 0;
  /// Its warp instructions over the mean of all blocks.
  double over_mean = 1;

  bool operator==(const LongestBlock&) const = default;
};

/// The latency that a model expects of one launch, with its error band.
struct Prediction {
  /// [us]
  double p50_us = 0;
  /// [us]
  double low_us = 0;
  /// [us]
  double high_us = 0;
  /// [us] The shortest time that the device's peak rates allow. None where the model gives none.
  std::optional<double> roofline_us;
  /// Name and version of the model; "" where it is not known.
  std::string model;
  /// Hash of the device table that it read; "" where it is not known.
  std::string table_sha256;
  std::vector<PredictionPart> parts;
  /// None where the model does not say it.
  std::optional<RatioError> ratio_error{};
  /// The part of the device that needs the roofline's time: "tensor cores", "L2", "DRAM"; "" where it is not known.
  std::string roofline_of{};
  /// Where the band comes from, in a line; "" where it is not known.
  std::string band{};
  /// None where the model does not say it.
  std::optional<LongestBlock> longest_block{};
  /// Latency without each cause of it; empty where none was predicted.
  std::vector<Counterfactual> without{};
  /// [MHz] The SM clock that was assumed; none where it is not known.
  std::optional<double> clock_mhz{};
  /// The largest first; empty where the model does not say it.
  std::vector<StallReason> stalls{};
  /// The most time first; with what belongs to no line (launch, block start, tail, clock) they add up to the p50.
  std::vector<LineTime> lines{};

  bool operator==(const Prediction&) const = default;
};

/// As sessions/schema.json has it. Reading throws DocumentError.
void to_json(Json& json, const PredictionPart& part);
void from_json(const Json& json, PredictionPart& part);
void to_json(Json& json, const RatioError& error);
void from_json(const Json& json, RatioError& error);
void to_json(Json& json, const LongestBlock& block);
void from_json(const Json& json, LongestBlock& block);
void to_json(Json& json, const Counterfactual& counterfactual);
void from_json(const Json& json, Counterfactual& counterfactual);
void to_json(Json& json, const StallReason& reason);
void from_json(const Json& json, StallReason& reason);
void to_json(Json& json, const LineTime& line);
void from_json(const Json& json, LineTime& line);
void to_json(Json& json, const InstructionTime& instruction);
void from_json(const Json& json, InstructionTime& instruction);
void to_json(Json& json, const Prediction& prediction);
void from_json(const Json& json, Prediction& prediction);

}  // namespace tilescope
