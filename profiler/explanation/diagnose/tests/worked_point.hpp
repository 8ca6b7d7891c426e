#pragma once

#include "profiler/explanation/diagnose/tests/diagnose_fixture.hpp"

namespace tilescope::test_support {

/// A point of sample_kernel() in which nothing is wrong: its work is spread evenly, its reads are staged.
inline Measurement worked_point() {
  Measurement point = conflicting_point();
  MemoryCounts& memory = *point.memory;
  memory.sites.clear();
  memory.shared_conflicts = 0;
  memory.shared_wavefronts = memory.shared_wavefronts_minimum;
  memory.warp_instructions = 1000000;
  memory.blocks_total = 128;
  memory.barriers = 128 * 65 * 8;
  ExecutedWork& work = memory.work.emplace();
  work.lane_instructions = 32 * memory.warp_instructions;
  work.paced_instructions = memory.warp_instructions;
  WatchedBlock& watched = work.watched.emplace();
  watched.warps = 8;
  watched.barriers.emplace() = {{{50, "foreign.cu", {}}, 32, 32, 0}, {{60, "foreign.cu", {}}, 32, 31, 0}};
  watched.sectors_read = watched.different_sectors = 4000;
  point.occupancy = Occupancy{3, 24, 0.5, Limiter::shared_memory, 0.74, 0.74, 128};
  point.prediction = Prediction{
      100, 90, 110, {}, "", "", {{"issue slots", 50}, {"barriers", 20}, {"tail", 4}, {"L2 and DRAM", 26}}};
  point.prediction->ratio_error = RatioError{0.15, 0.2};
  return point;
}

inline Diagnosis first(const Measurement& point) {
  const KernelDeclaration kernel = sample_kernel();
  const DeviceModel device = sample_device();
  const std::vector<Diagnosis> found = diagnose({point, kernel, &device});
  return found.empty() ? Diagnosis{} : found.front();
}

}  // namespace tilescope::test_support
