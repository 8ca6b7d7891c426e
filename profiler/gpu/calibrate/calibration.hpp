#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/gpu/calibrate/calibration_plan.hpp"

namespace tilescope {

/// Launches of one kind between two events.
struct StreamTiming {
  /// [us] per launch
  double p10_us = 0, p50_us = 0, p90_us = 0;
  /// [B] per launch
  double bytes = 0;
  /// [MHz] sampled right after the launches
  double sm_clock_mhz = 0;
};

/// The GPU that is calibrated. The real one is GpuCalibrationPort; a fake with known times tests the rest. Failures
/// throw: a sticky cuda::CudaError ends the calibration, any other error only its run.
class CalibrationPort {
 public:
  virtual ~CalibrationPort() = default;
  /// Runs until the clocks have risen from an idle GPU's.
  virtual void warm_up() = 0;
  /// Prepares the kernel and the memory of a run.
  virtual void prepare(const MicroRun& run) = 0;
  /// Launches the prepared run, timed by the SM's clock: clocks from the first warp's start to the last one's end.
  virtual double cycles(int repeats) = 0;
  /// Launches the prepared run, timed by events.
  virtual StreamTiming stream() = 0;
  /// [MHz] The current clock of an SM.
  virtual double sm_clock_mhz() = 0;
};

struct CalibrationOptions {
  /// Samples of every run timed by the SM's clock; a figure is their median.
  int samples = 7;
  /// "2026-11-21", for the figures' sources.
  std::string date;
  /// "580.159.04 (CUDA 13.0)"
  std::string driver_version;
  /// Called before every run.
  std::function<bool()> cancelled = [] { return false; };
  /// The kernel that runs, and the part of the plan that is done, 0 to 1.
  std::function<void(const std::string& kernel, double fraction)> progress = [](const std::string&, double) {
  };
};

struct CalibratedFigure {
  std::string name;
  MeasuredFigure figure;
};

struct Calibration {
  /// In the plan's order, without those that could not be measured.
  std::vector<CalibratedFigure> figures;
  /// Sentences for the reader: what is missing and why, low clocks.
  std::vector<std::string> notes;
  bool cancelled = false;
};

/// Carries out the plan on a device. A failed run becomes a note; throws a sticky cuda::CudaError.
Calibration calibrate(CalibrationPort& port, const DeviceModel& device, const std::vector<MicroRun>& plan,
                      const CalibrationOptions& options);

}  // namespace tilescope
