#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// The global memory that a microbenchmark reads.
enum class MicroMemory {
  none,
  /// A ring of pointers that fits in L1.
  l1_ring,
  /// A ring that fits in L2, but not in L1.
  l2_ring,
  /// A ring many times as large as L2; L2 is cleared before every launch.
  dram_ring,
  /// A region that easily fits in L2, written before.
  l2_region,
  /// A region many times as large as L2.
  dram_region,
};

/// How a run is timed: by the clock of the SM that runs its single block, or by events around launches that fill the
/// GPU.
enum class MicroTiming { sm_clock, events };

/// How a figure follows from a run's time and its work.
enum class FigureForm { cycles_per_work, work_per_cycle, gb_per_s, bytes_per_clk_sm };

struct PlannedFigure {
  /// A name listed in profiler/devices/device_model.hpp.
  std::string name;
  std::string unit;
  FigureForm form = FigureForm::cycles_per_work;
};

/// One microbenchmark of kernels/micro/ in one configuration, and the figures that it gives.
struct MicroRun {
  std::string kernel;
  /// Other parameters have their defaults.
  Configuration parameters;
  DataType dtype = DataType::fp16;
  MicroMemory memory = MicroMemory::none;
  MicroTiming timing = MicroTiming::sm_clock;
  /// A run timed by the SM's clock is made with `few` and with `many` repeats, and their difference counts. A run timed
  /// by events makes `many` passes over the memory.
  int few = 0, many = 0;
  /// Work of one repeat, for runs timed by the SM's clock, in the unit of the figures.
  double work = 0;
  /// [B] For runs timed by events: each block moves this many at once, and all blocks the same number of times.
  std::int64_t bytes_at_once = 16;
  std::vector<PlannedFigure> figures;
};

/// Everything that `tilescope devices --calibrate` measures, in order.
std::vector<MicroRun> calibration_plan();

}  // namespace tilescope
