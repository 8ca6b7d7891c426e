#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/explanation/model/executed_kernel.hpp"
#include "profiler/explanation/model/model_parameters.hpp"

namespace tilescope::model {

/// A launch with what it took on the device.
struct MeasuredLaunch {
  const ExecutedLaunch* launch = nullptr;
  /// [us]
  double us = 0;
};

struct FitOptions {
  /// Launches looked at in every step at most, evenly spread; 0 for all.
  std::size_t most_launches = 120;
  /// Each round halves the steps.
  int rounds = 3;
  /// For the figures' sources: "SESSION.json, 2026-11-23".
  std::string source;
  std::function<bool()> cancelled = [] { return false; };
  /// The part that is done, 0 to 1.
  std::function<void(double)> progress = [](double) {};
};

struct Fit {
  /// For DeviceModel::fitted. Empty when it was cancelled.
  MeasuredFigures figures;
  /// Means of |predicted / measured - 1| over all launches.
  double error_before = 0, error_after = 0;
};

/// Fits the fitted_parameters() of a device to launches that were measured on it: one parameter after the other goes up or
/// down by its step while the mean of |log(predicted / measured)| falls. The error that goes with them is the 90th
/// percentile over launches that the steps did not look at (where they looked at all, over all), and half as much again.
Fit fit(const std::vector<MeasuredLaunch>& launches, const DeviceModel& device, const FitOptions& options);

}  // namespace tilescope::model
