#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// The global memory that a microbenchmark reads.
enum class MicroMemory {
  none,
  l1_ring,      ///< A ring of pointers that L1 holds.
  l2_ring,      ///< One that L2 holds and L1 does not.
  dram_ring,    ///< One of many times L2; L2 is cleared before every launch.
  l2_region,    ///< As many bytes as L2 holds easily, written before.
  dram_region,  ///< Many times L2.
};

/// How a run is timed: by the clock of the SM that runs its one block, or by events around launches that fill the GPU.
enum class MicroTiming { sm_clock, events };

/// What a figure is of a run's time and its work.
enum class FigureForm { cycles_per_work, work_per_cycle, gb_per_s, bytes_per_clk_sm };

struct PlannedFigure {
  std::string name;  ///< As profiler/devices/device_model.hpp lists them.
  std::string unit;
  FigureForm form = FigureForm::cycles_per_work;
};

/// One microbenchmark of kernels/micro/ in one configuration, and the figures that come of it.
struct MicroRun {
  std::string kernel;
  Configuration parameters;  ///< The others have their defaults.
  DataType dtype = DataType::fp16;
  MicroMemory memory = MicroMemory::none;
  MicroTiming timing = MicroTiming::sm_clock;
  /// Of a run by the SM's clock: it is made with `few` and with `many` repeats, and their difference counts. Of one by
  /// events: `many` passes over the memory.
  int few = 0, many = 0;
  double work = 0;  ///< Of one repeat by the SM's clock, in what the figures count.
  std::int64_t bytes_at_once =
      16;  ///< [B] by events: each block takes so many at once, and all the same number of times.
  std::vector<PlannedFigure> figures;
};

/// All that `tilescope devices --calibrate` measures, in the order in which it does.
std::vector<MicroRun> calibration_plan();

}  // namespace tilescope
