#pragma once

#include <string>

#include "sessions/measurement.hpp"

namespace tilescope::test_support {

/// A correct point of flash_scalar on an L4, neither timed nor predicted.
inline Measurement make_side(const std::string& layout) {
  Measurement point;
  point.kernel = "flash_scalar";
  point.parameters = {{"BLOCK_M", std::int64_t{64}}, {"SMEM_LAYOUT", layout}};
  point.device = {"L4", "sm_89", false};
  Occupancy occupancy;
  occupancy.blocks_per_sm = 2;
  occupancy.warps_per_sm = 16;
  occupancy.waves = 1.5;
  point.occupancy = occupancy;
  point.resources = Resources{64, 0, 1024, 0, 0, layout};
  return point;
}

/// With 100 samples around `p50_us`, `spread` wide from the minimum to the upper quartile, relative to it.
inline Measurement make_timed_side(const std::string& layout, double p50_us, double spread = 0.01,
                                   double clock_mhz = 2000) {
  Measurement point = make_side(layout);
  SampleStatistics series;
  series.count = 100;
  series.min_us = p50_us * (1 - spread / 2);
  series.q1_us = p50_us * (1 - spread / 4);
  series.p50_us = p50_us;
  series.q3_us = p50_us * (1 + spread / 2);
  series.sm_clock_mhz = clock_mhz;
  series.launches_per_sample = 100;
  Latency latency;
  latency.p50_us = p50_us;
  latency.samples = series.count;
  latency.tflops = attention_flops(point.shape) / p50_us * 1e-6;
  latency.l2_warm = series;
  point.latency = latency;
  return point;
}

inline Measurement make_predicted_side(const std::string& layout, double issue_us, double conflicts_us) {
  Measurement point = make_side(layout);
  Prediction prediction;
  prediction.p50_us = issue_us + conflicts_us;
  prediction.low_us = prediction.p50_us * 0.8;
  prediction.high_us = prediction.p50_us * 1.25;
  prediction.parts = {{"issue slots", issue_us}, {"bank conflicts", conflicts_us}};
  prediction.ratio_error = RatioError{0.2, 0.3};
  point.prediction = prediction;
  return point;
}

/// Shared-memory wavefronts of which `conflicts` are excess, those on a line.
inline void add_conflicts(Measurement& point, std::int64_t conflicts, std::int64_t on_line,
                          std::int64_t line) {
  MemoryCounts counts;
  counts.shared_wavefronts_minimum = 1'000'000;
  counts.shared_conflicts = conflicts;
  counts.shared_wavefronts = counts.shared_wavefronts_minimum + conflicts;
  counts.warp_instructions = 5'000'000;
  MemorySite site;
  site.line = line;
  site.file = "flash_scalar.cu";
  site.operation = "ld.shared";
  site.tile = "K";
  site.conflicts = on_line;
  if (on_line > 0) counts.sites = {site};
  point.memory = counts;
}

}  // namespace tilescope::test_support
