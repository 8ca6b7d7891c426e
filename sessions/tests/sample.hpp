#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string>

#include "sessions/session.hpp"

namespace tilescope::sample {

inline const std::string source_hash(64, 'a');

inline MemoryCounts full_counts() {
  MemoryCounts counts;
  counts.counted_from = CountedFrom::machine_code;
  counts.blocks_run = 4;
  counts.blocks_total = 128;
  counts.shared_instructions = 10;
  counts.shared_wavefronts = 40;
  counts.shared_wavefronts_minimum = 20;
  counts.shared_conflicts = 21;
  counts.global_requests = 11;
  counts.global_sectors = 44;
  counts.global_sectors_minimum = 43;
  counts.bytes = {{"global_read", 4096}, {"shared_write", 512}};
  counts.instructions = {{"fma", 1000}, {"lsu", 60}};
  counts.warp_instructions = 1234;
  counts.barriers = 17;
  counts.work.emplace() = {
      39000, 51, 1300, {{{120, "flash_scalar.cu", {"element.cuh:84 load"}}, 90, 100}}, {}};
  counts.work->watched.emplace() = {
      8, {}, 640, 320, {{{121, "flash_scalar.cu", {"element.cuh:85 load"}}, 400, 300}}};
  counts.work->watched->barriers = {{{122, "flash_scalar.cu", {"element.cuh:86 load"}}, 16, 15, 7}};
  MemorySite site;
  site.line = 120;
  site.file = "flash_scalar.cu";
  site.inlined = {"element.cuh:84 load_packet<8>"};
  site.operation = "ld.shared";
  site.width_bytes = 16;
  site.tile = "K";
  site.executions = 8;
  site.lanes = 250;
  site.wavefronts = 36;
  site.minimum = 18;
  site.conflicts = 19;
  site.worst_degree = 7;
  site.degrees = {{1, 5}, {7, 3}};
  site.ptx_line = 812;
  site.instruction = "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];";
  MemorySite nameless;
  nameless.operation = "ld.global";
  nameless.inlined = {"element.cuh:12 load"};
  nameless.degrees = {{2, 1}};
  counts.sites = {site, nameless};
  return counts;
}

/// A point in which every field has a different value, so that a lost or swapped field shows.
inline Measurement full_measurement() {
  Measurement point;
  point.kernel = "flash_scalar";
  point.parameters = {{"BLOCK_M", 64}, {"NUM_WARPS", 8}, {"SMEM_LAYOUT", "xor_swizzle"}};
  point.shape = {2, 8, 4, 512, 1024, 64, DataType::bf16, true};
  point.device = {"L4", "sm_89", true};
  point.resources = Resources{72, 16, 57376, 8, 24, std::string(64, 'b')};
  point.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.1, 0.1, 128};
  point.occupancy->also_limited_by = {Limiter::registers};
  point.error = Error{1.5e-4, 2.5e-4, 1e-3, "gpu", 4096, 8192};
  SampleStatistics warm{100,  30.5, 0.25, 30, 30.1,        30.2, 30.4, 30.6,
                        30.9, 31,   1980, 3,  "converged", 20,   650.5};
  SampleStatistics cold{50, 40.5, 0.5, 40, 40.1, 40.2, 40.4, 40.6, 40.9, 41, 1979, 1, "time_limit", 1};
  point.latency = Latency{LatencyKind::measured, 30.1,      30.4, 30.9, 100, 17.25,
                          "4*B*Hq*Sq*Sk*D / 2",  "l2_warm", warm, cold};
  point.prediction = Prediction{28.5,
                                25.25,
                                33.75,
                                12.5,
                                "tiles 1",
                                std::string(64, 'c'),
                                {{"tensor cores", 11.5}, {"shared memory", 17}}};
  point.prediction->without = {{"excess_sectors", {131}, 8.25}, {"bank_conflicts", {120}, 9.5}};
  point.prediction->clock_mhz = 1890;
  point.prediction->stalls = {{"long_scoreboard", 4.5}, {"wait", 1.25}};
  point.prediction->lines = {{120, "tile.cuh:84", 2.5, 6.25, 4096}, {131, "", 1, 0.5, 512}};
  point.prediction->longest_block = LongestBlock{63, 3.2};
  point.counters = std::map<std::string, double>{{"smsp__inst_executed.sum", 123456},
                                                 {"lts__t_sector_hit_rate.pct", 91.5}};
  point.memory = full_counts();
  point.findings = {
      {"race", {12, 40}, "line 12 is written while line 40 reads", {1, 2, 3}, {33, 70}, {128, 132}, 9}};
  point.diagnoses.emplace().push_back({"bank_conflicts",
                                       Severity::cost,
                                       {120, 121},
                                       "Reads of K collide in their banks",
                                       "half of the wavefronts are conflicts",
                                       "choose SMEM_LAYOUT=padded",
                                       "tile.cuh:84",
                                       Saving{4.5, 4, 5}});
  point.tries = {{"BLOCK_M", std::int64_t{32}, 41.5, Status::ok},
                 {"SMEM_LAYOUT", std::string("padded"), std::nullopt, Status::compile_failed},
                 {"VEC_WIDTH", std::int64_t{4}, 42, Status::ok, true},
                 {"STAGES", std::int64_t{3}}};
  point.provenance = {"0.1.0",
                      "2025-11-02T14:03:59Z",
                      source_hash,
                      "key",
                      KernelCompiler::nvrtc,
                      "13.0",
                      "",
                      {"-lineinfo", "-DBLOCK_M=64"},
                      "CUTLASS 4.2.0",
                      "580.00",
                      "Linux x86-64",
                      77,
                      1980,
                      12.5,
                      false};
  point.notes = {"no counters: CUPTI is not installed"};
  point.compiler_log = "ptxas info: 72 registers\n";
  return point;
}

/// A point whose every figure is one that JSON cannot hold.
inline Measurement measurement_of_nan() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Measurement point = full_measurement();
  point.occupancy->fraction = point.occupancy->waves = nan;
  point.occupancy->tail_fraction = nan;
  point.error->max_abs = point.error->tolerance = nan;
  point.error->max_rel = infinity;
  SampleStatistics series;
  series.mean_us = series.stddev_us = series.min_us = series.p10_us = series.q1_us = series.p50_us = nan;
  series.q3_us = series.p90_us = series.max_us = series.sm_clock_mhz = infinity;
  Latency& latency = *point.latency;
  latency.p10_us = latency.p50_us = latency.p90_us = latency.tflops = nan;
  latency.l2_warm = latency.l2_cold = series;
  Prediction& prediction = *point.prediction;
  prediction.p50_us = prediction.low_us = nan;
  prediction.high_us = infinity;
  prediction.roofline_us = prediction.parts[0].microseconds = nan;
  point.counters->begin()->second = nan;
  point.provenance.sm_clock_mhz = point.provenance.compile_ms = nan;
  return point;
}

inline Session session_of(std::size_t points) {
  Session session;
  session.title = "A \"title\" with\nevery kind of ~ character: \xC3\xA9";
  session.created_utc = "2025-11-02T14:00:00Z";
  session.tilescope_version = "0.1.0";
  session.sources[source_hash] = {
      "flash_scalar.cu", "__global__ void f() {}\n", {{"device/a.cuh", "#pragma once\n"}}};
  for (std::size_t index = 0; index < points; ++index) {
    Measurement point = full_measurement();
    point.parameters["BLOCK_M"] = static_cast<std::int64_t>(index);
    session.points.push_back(std::make_shared<const Measurement>(std::move(point)));
  }
  return session;
}

}  // namespace tilescope::sample
