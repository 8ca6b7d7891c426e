#pragma once

#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// Ceilings of a kernel: two peaks of arithmetic, and the bandwidth of three levels of memory.
enum class CeilingId { tensor, fma, dram, l2, shared };
/// "tensor FP16", "FP32 FMA", "DRAM", "L2", "shared memory"
std::string to_words(CeilingId id);
bool is_bandwidth(CeilingId id);

struct CeilingFigure {
  /// [TFLOP/s] of a peak, [1e9 B/s] of a bandwidth.
  double value = 0;
  /// Distinguishes it from the peak: "measured", "at 1,200 MHz"; "" for the peak itself.
  std::string remark;
  /// A sentence with the formula, the datasheet or the measurement.
  std::string source;
};

struct Ceiling {
  CeilingId id = CeilingId::tensor;
  /// Peak that no kernel exceeds.
  CeilingFigure peak;
  /// The peak as it was measured, and under the device's power cap.
  std::vector<CeilingFigure> others;
};

/// The ceilings of a device, in the order of CeilingId; those of which nothing is known are left out.
struct DeviceCeilings {
  std::vector<Ceiling> known;
  /// A sentence for each that is left out.
  std::vector<std::string> unknown;

  /// nullptr for one that is not known.
  const Ceiling* find(CeilingId id) const;
};

/// From the numbers of the device's table and what a calibration measured (DeviceModel::measured). Where the table has
/// no number for a peak, what was measured takes its place.
DeviceCeilings device_ceilings(const DeviceModel& device);

/// "121 TFLOP/s", "300 GB/s", "15.1 TB/s"
std::string figure_words(CeilingId id, const CeilingFigure& figure);
/// "DRAM 300 GB/s", "tensor FP16, at 1,200 MHz 71.2 TFLOP/s"
std::string figure_label(CeilingId id, const CeilingFigure& figure);

}  // namespace tilescope
