#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/model_parameters.hpp"
#include "sessions/prediction.hpp"

namespace tilescope::model {

/// Name and version of the model, for the record.
inline constexpr const char* model_name = "sm-simulation 2";

/// Work of a launch, and the least bytes that it moves, for the roofline.
struct LaunchWork {
  double flops = 0;
  /// [B] Each tensor once.
  double bytes = 0;
};

/// [us] The shortest time that the datasheet's tensor cores and DRAM allow; none where the table lacks one of them.
std::optional<double> roofline_us(const LaunchWork& work, const DeviceModel& device);

/// Why nothing can be predicted for a device, in a sentence; "" where something can.
std::string why_not_predicted_for(const DeviceModel& device);

struct PredictedPoint {
  Prediction prediction;
  /// Sentences on what makes the band wider.
  std::vector<std::string> notes;
};

/// The latency on a device, with a band: for a fitted device the error that 90 % of held-out points stay below. Wider
/// outside of the latencies to which it was fitted, and for a device that was not fitted. `table_sha256` is the hash of
/// the device's table.
PredictedPoint predict(const ExecutedLaunch& launch, const LaunchWork& work, const DeviceModel& device,
                       const std::string& table_sha256, TableUse use = TableUse::all);

}  // namespace tilescope::model
