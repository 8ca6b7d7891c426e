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
  /// What the launch would take without each cause; empty where none was predicted.
  std::vector<Counterfactual> without{};

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
void to_json(Json& json, const Prediction& prediction);
void from_json(const Json& json, Prediction& prediction);

}  // namespace tilescope
