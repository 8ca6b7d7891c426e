#pragma once

#include <span>
#include <vector>

namespace tilescope {

/// The numbers of the model of latency that `devices --calibrate --from SESSION` fits, one for each pipe and each
/// overhead. Times in cycles of the SM clock.
struct FittedNumbers {
  double issue_slowdown = 1, tensor_slowdown = 1, lsu_slowdown = 1, fma_slowdown = 1, l2_slowdown = 1;
  double shared_wait_cycles = 0, store_cycles = 0, barrier_wait_cycles = 0;
  double jump_cycles = 0, fetch_cycles = 0, block_start_cycles = 0;
  double l2_kept = 0;
  double launch_us = 0;
};

/// A figure of DeviceModel::fitted and its limits: the fit does not leave them, and a table with another value is
/// refused.
struct FittedFigure {
  const char* name;
  const char* unit;
  double least, most;
  const char* meaning;
};

/// A figure that the model uses as a number.
struct FittedParameter : FittedFigure {
  double FittedNumbers::*member;
  /// For a device that was not fitted.
  double assumed;
  /// The first step of the fit.
  double step;
};
std::span<const FittedParameter> fitted_parameters();

/// Names in DeviceModel::fitted besides the parameters: the error that 90 % of the points from which it was fitted stay
/// below, and the latencies [us] between which they lie.
inline constexpr const char* fitted_error = "error_p90";
inline constexpr const char* fitted_least_us = "least_us";
inline constexpr const char* fitted_most_us = "most_us";

/// The parameters and those three.
std::vector<FittedFigure> fitted_figures();

}  // namespace tilescope
