#pragma once

#include <functional>
#include <string>
#include <vector>

#include "profiler/calibrate/calibration_plan.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// Launches of one kind between two events.
struct StreamTiming {
  double p10_us = 0, p50_us = 0, p90_us = 0;  ///< [us] of one launch
  double bytes = 0;                           ///< [B] that one launch moves
  double sm_clock_mhz = 0;                    ///< [MHz] sampled right after the launches
};

/// The GPU that is calibrated. The real one is GpuCalibrationPort; a fake with known times tests the rest. Whatever fails
/// throws; a cuda::CudaError that is sticky ends the calibration, anything else the run that it happened in.
class CalibrationPort {
 public:
  virtual ~CalibrationPort() = default;
  /// Until the clocks have risen from those of an idle GPU.
  virtual void warm_up() = 0;
  /// Makes the kernel and the memory of a run ready.
  virtual void prepare(const MicroRun& run) = 0;
  /// Launches the prepared run by the SM's clock: clocks from the first warp's start to the last one's end.
  virtual double cycles(int repeats) = 0;
  /// Times the prepared run by events.
  virtual StreamTiming stream() = 0;
  /// [MHz] of an SM, right now.
  virtual double sm_clock_mhz() = 0;
};

struct CalibrationOptions {
  int samples = 7;             ///< Of every run by the SM's clock; a figure is their median.
  std::string date;            ///< "2026-11-21", for the figures' sources.
  std::string driver_version;  ///< "580.159.04 (CUDA 13.0)"
  std::function<bool()> cancelled = [] { return false; };  ///< Asked before every run.
  /// The kernel that runs, and how much of the plan is done, 0 to 1.
  std::function<void(const std::string& kernel, double fraction)> progress = [](const std::string&, double) {
  };
};

struct CalibratedFigure {
  std::string name;
  MeasuredFigure figure;
};

struct Calibration {
  std::vector<CalibratedFigure> figures;  ///< In the plan's order, without those that could not be measured.
  std::vector<std::string>
      notes;  ///< What a reader must know, in sentences: what is missing and why, low clocks.
  bool cancelled = false;
};

/// Carries the plan out on a device. What goes wrong in one run is a note; throws a sticky cuda::CudaError.
Calibration calibrate(CalibrationPort& port, const DeviceModel& device, const std::vector<MicroRun>& plan,
                      const CalibrationOptions& options);

}  // namespace tilescope
