#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/latency_model.hpp"
#include "profiler/explanation/model/model_parameters.hpp"
#include "sessions/prediction.hpp"

namespace tilescope::model {

/// Name and version of the model, for the record.
inline constexpr const char* model_name = "sm-simulation 9";

/// The error of attention on a device that was not fitted: FlashAttention-2 as others measured it on six GPUs
/// (published/README.md), the 90th percentile on the L4, where it is the largest.
inline constexpr double attention_error_without_fit = 0.23;

/// Facts of a launch beyond its machine code.
struct LaunchWork {
  /// Work of the products on tensor cores, for the roofline; 0 where it is not known.
  double flops = 0;
  /// A kernel of the ladder of attention, to which the model was fitted.
  bool is_attention = false;
};

/// The least time of a launch, and the part of the device that needs it.
struct Roofline {
  /// [us]
  double us = 0;
  /// "tensor cores", "FMA pipe", "L2", "DRAM"
  std::string of;
};
/// The longest of: arithmetic at the peak rate, loads at L2's bandwidth, and at the datasheet's bandwidth of DRAM what L2
/// does not keep from the launch before. None where the table has no figure for any of them.
std::optional<Roofline> roofline(const LaunchTime& time, const LaunchWork& work, const DeviceModel& device);

/// Why nothing can be predicted for a device, in a sentence; "" where something can.
std::string why_not_predicted_for(const DeviceModel& device);

struct PredictedPoint {
  Prediction prediction;
  /// Sentences on what makes the band wider.
  std::vector<std::string> notes;
  LaunchTime time;
  /// Those that were executed, in the order of the code; empty before explain().
  std::vector<InstructionTime> instructions{};
};

/// The latency on a device, with a band: for a fitted device the error that 90 % of held-out points stay below. Wider
/// outside of the latencies to which it was fitted, for kernels that are not attention, for what the model was not held
/// against, and for a device that was not fitted. Prediction::band says where it comes from. `table_sha256` is the hash
/// of the device's table.
PredictedPoint predict(const ExecutedLaunch& launch, const LaunchWork& work, const DeviceModel& device,
                       const std::string& table_sha256, TableUse use = TableUse::all);

}  // namespace tilescope::model
