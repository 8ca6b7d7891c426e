#include "profiler/explanation/model/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiler/explanation/model/latency_model.hpp"

namespace tilescope::model {
namespace {

// Error for devices that were not fitted: the 90th percentile on the H200 with nothing but its datasheet
// (profiler/explanation/model/README.md), rounded up.
constexpr double error_without_fit = 0.35;
// The band of a latency outside of those to which a device was fitted.
constexpr double error_outside = 1.5;

// The error of ratios over the error of latencies: on the H200 95 % of the held-out ratios are within factors of 1.22
// (one kernel's configurations) and 1.25 (two kernels), and the error in its table is 0.15 (profiler/explanation/model/README.md).
constexpr double same_kernel_ratio_error = 1.35;
constexpr double kernels_ratio_error = 1.5;

double fitted_figure(const DeviceModel& device, const char* name, double otherwise) {
  const auto found = device.fitted.find(name);
  return found == device.fitted.end() ? otherwise : found->second.value;
}

// The error that 90 % of the points stay below.
double expected_error(double us, const DeviceModel& device, TableUse use, std::vector<std::string>& notes) {
  if (use != TableUse::all || !device.fitted.contains(fitted_error)) return error_without_fit;
  const double error = fitted_figure(device, fitted_error, error_without_fit);
  const double least = fitted_figure(device, fitted_least_us, 0),
               most = fitted_figure(device, fitted_most_us, us);
  if (us >= least && us <= most) return error;
  notes.push_back(
      fmt::format("The predicted latency is outside of the {:.3g} to {:.3g} us to which the model was fitted "
                  "on the {}: its band is "
                  "wider.",
                  least, most, device.name));
  return error * error_outside;
}

std::vector<PredictionPart> parts_of(const LaunchTime& time) {
  const auto waited = [&](Wait wait) { return time.waits_us[static_cast<std::size_t>(wait)]; };
  return {{"launch", time.launch_us},
          {"block start", waited(Wait::start)},
          {"instruction fetch", time.fetch_us + waited(Wait::jumps)},
          {"issue slots", time.issue_us},
          {"tensor", waited(Wait::tensor)},
          {"FMA and ALU", waited(Wait::arithmetic)},
          {"MUFU", waited(Wait::xu)},
          {"shared memory", waited(Wait::shared_memory)},
          {"bank conflicts", waited(Wait::bank_conflicts)},
          {"L2 and DRAM", waited(Wait::global_memory)},
          {"barriers", waited(Wait::barriers)},
          {"tail", time.tail_us}};
}

}  // namespace

std::optional<double> roofline_us(const LaunchWork& work, const DeviceModel& device) {
  if (device.fp16_tflops <= 0 || device.dram_gb_per_s <= 0) return std::nullopt;
  return std::max(work.flops / device.fp16_tflops * 1e-6, work.bytes / device.dram_gb_per_s * 1e-3);
}

std::string why_not_predicted_for(const DeviceModel& device) {
  return device.boost_clock_mhz > 0 ? "" : "nothing is known of the clock of this device.";
}

PredictedPoint predict(const ExecutedLaunch& launch, const LaunchWork& work, const DeviceModel& device,
                       const std::string& table_sha256, TableUse use) {
  const LaunchTime time = launch_time(launch.kernel, launch.plan, model_parameters(device, use));
  PredictedPoint point;
  Prediction& prediction = point.prediction;
  prediction.p50_us = time.us;
  const double error = expected_error(time.us, device, use, point.notes);
  prediction.low_us = time.fastest_us / (1 + error);
  prediction.high_us = time.slowest_us / std::max(1 - error, 0.1);
  prediction.roofline_us = roofline_us(work, device);
  prediction.model = model_name;
  prediction.table_sha256 = table_sha256;
  prediction.parts = parts_of(time);
  prediction.ratio_error = RatioError{same_kernel_ratio_error * error, kernels_ratio_error * error};
  return point;
}

}  // namespace tilescope::model
