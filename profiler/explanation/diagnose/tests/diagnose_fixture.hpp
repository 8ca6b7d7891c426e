#pragma once

#include "profiler/explanation/diagnose/diagnose.hpp"

namespace tilescope::test_support {

/// A kernel that does not ship: a switch, a named choice, a layout, a number; no tiles are declared.
inline KernelDeclaration sample_kernel() {
  const auto number = [](std::int64_t value) { return ParameterValue(value); };
  const auto name = [](const char* value) { return ParameterValue(std::string(value)); };
  KernelDeclaration kernel;
  kernel.name = "foreign";
  kernel.source_path = "/kernels/foreign.cu";
  kernel.entry = "foreign";
  kernel.dtypes = {DataType::fp16};
  kernel.grid = {"Sq", "Hq", "B"};
  kernel.threads = "32";
  kernel.dynamic_shared_bytes = "0";
  kernel.parameters = {
      {"TILE", {number(8), number(16), number(32), number(64)}, number(16), ""},
      {"ASYNC", {number(0), number(1)}, number(0), ""},
      {"ORDER", {name("rows"), name("columns")}, name("rows"), ""},
      {"K_PAD", {number(0), number(4), number(8)}, number(0), ""},
  };
  kernel.constraints = {{"K_PAD == 0 || TILE >= 16", "padding needs tiles of 16"},
                        {"K_PAD != 4", "pieces have 16 bytes"}};
  return kernel;
}

inline DeviceModel sample_device() {
  DeviceModel device;
  device.name = "test";
  device.sm_count = 58;
  device.max_threads_per_block = 1024;
  device.shared_bytes_per_block_optin = 101376;
  return device;
}

/// Reads of K that are 8-way conflicts: 28,000,000 of 32,100,000 wavefronts.
inline MemorySite conflicting_site() {
  MemorySite site;
  site.line = 84;
  site.file = "foreign.cu";
  site.operation = "ld.shared";
  site.width_bytes = 16;
  site.tile = "K";
  site.executions = 1000000;
  site.wavefronts = 32000000;
  site.minimum = 4000000;
  site.conflicts = 28000000;
  site.worst_degree = 8;
  site.degrees = {{8, 1000000}};
  site.ptx_line = 812;
  site.instruction = "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%rd1];";
  return site;
}

/// A point of sample_kernel() with that site.
inline Measurement conflicting_point() {
  Measurement point;
  point.kernel = "foreign";
  point.parameters = sample_kernel().complete({});
  point.resources = Resources{64, 0, 32768, 0, 0, "abc"};
  MemoryCounts memory;
  memory.shared_wavefronts = 32100000;
  memory.shared_wavefronts_minimum = 4100000;
  memory.shared_conflicts = 28000000;
  memory.global_sectors = 100000;
  memory.global_sectors_minimum = 100000;
  memory.sites = {conflicting_site()};
  point.memory = memory;
  return point;
}

inline std::vector<Diagnosis> diagnose_sample(const Measurement& point) {
  return diagnose({point, sample_kernel(), nullptr});
}

}  // namespace tilescope::test_support
