#pragma once

#include <memory>
#include <string>

#include "sessions/session.hpp"

namespace tilescope::sample {

inline const std::string source_hash(64, 'a');

/// A point in which every field has a value of its own, so that a field that is lost or swapped shows.
inline Measurement full_measurement() {
  Measurement point;
  point.kernel = "flash_scalar";
  point.parameters = {{"BLOCK_M", 64}, {"NUM_WARPS", 8}, {"SMEM_LAYOUT", "xor_swizzle"}};
  point.shape = {2, 8, 4, 512, 1024, 64, DataType::bf16, true};
  point.device = {"L4", "sm_89", true};
  point.resources = Resources{72, 16, 57376, 8, 24, std::string(64, 'b')};
  point.occupancy = Occupancy{2, 16, 1.0 / 3, Limiter::shared_memory, 1.1, 0.1, 128};
  point.error = Error{1.5e-4, 2.5e-4, 1e-3, "gpu", 4096, 8192};
  SampleStatistics warm{100, 30.5, 0.25, 30, 30.1, 30.2, 30.4, 30.6, 30.9, 31, 1980, 3, "converged", 20};
  SampleStatistics cold{50, 40.5, 0.5, 40, 40.1, 40.2, 40.4, 40.6, 40.9, 41, 1979, 1, "time_limit", 1};
  point.latency = Latency{LatencyKind::measured, 30.1,      30.4, 30.9, 100, 17.25,
                          "4*B*Hq*Sq*Sk*D / 2",  "l2_warm", warm, cold};
  point.memory = Json{{"kind", "counted"},         {"blocks_run", 4},
                      {"blocks_total", 128},       {"shared_instructions", 10},
                      {"shared_wavefronts", 40},   {"shared_wavefronts_minimum", 20},
                      {"shared_conflicts", 20},    {"global_requests", nullptr},
                      {"global_sectors", nullptr}, {"global_sectors_minimum", nullptr},
                      {"sites", Json::array()}};
  point.findings = {
      Json{{"kind", "race"}, {"lines", {12, 40}}, {"text", "line 12 is written while line 40 reads"}}};
  point.provenance = {
      "0.1.0",  "2025-11-02T14:03:59Z", source_hash, "key", "13.0", {"-lineinfo", "-DBLOCK_M=64"},
      "580.00", "Linux x86-64",         77,          1980,  12.5,   false};
  point.notes = {"no counters: CUPTI is not installed"};
  point.compiler_log = "ptxas info: 72 registers\n";
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
