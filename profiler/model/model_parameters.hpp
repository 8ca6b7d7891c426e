#pragma once

#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"

namespace tilescope::model {

/// What the model knows of a GPU. Times in cycles of the SM clock.
struct ModelParameters {
  /// 89 for sm_89
  int architecture = 0;
  double sms = 1;
  /// [MHz] under the load of an attention kernel; see `low_clock_mhz`.
  double clock_mhz = 0;
  /// [MHz] Where a power cap may hold the clock between two values: the lower one; else that of `clock_mhz`.
  double low_clock_mhz = 0;

  /// From the first wavefront of a shared load to the issue of an instruction that waits for it, by bytes of a lane: 4,
  /// 8, 16.
  double shared_latency[3] = {};
  /// The same of ldmatrix by matrices: 1, 2, 4.
  double ldmatrix_latency[3] = {};
  double shuffle_latency = 0;
  double l1_latency = 0, l2_latency = 0, dram_latency = 0;
  /// What an asynchronous copy takes beyond a load from L2.
  double async_copy_latency = 0;
  /// A block barrier: a part that does not depend on the warps, and one for each of them.
  double barrier_latency = 0, barrier_cycles_of_warp = 0;
  /// [B/clk] that an SM gets from L2 when all ask at once, and when it is alone.
  double l2_bytes_of_sm = 0, l2_bytes_of_lone_sm = 0;
  /// [1e9 B/s]
  double dram_gb_per_s = 0;
  /// [B]
  double l2_bytes = 0;

  /// Fitted: time of a pipe over what its peak rate gives, 1 and more.
  double tensor_slowdown = 1, lsu_slowdown = 1, fma_slowdown = 1, alu_slowdown = 1, xu_slowdown = 1,
         l2_slowdown = 1;
  /// Fitted: until a warp issues behind a jump, beyond the stall count of its instruction.
  double jump_cycles = 0;
  /// Fitted: until code that an SM executes for the first time arrives, for each 128 B.
  double instruction_fetch_cycles = 0;
  /// Fitted: from the start of a block to its first instruction.
  double block_start_cycles = 0;
  /// [us] Fitted: what a launch in a graph takes beyond its blocks.
  double launch_us = 0;
};

/// A number that the user sees with its origin.
struct ParameterRow {
  std::string name;
  double value = 0;
  std::string unit;
  /// "measured: ...", "fitted: ...", "datasheet ...", "published ...", "assumed: ..."
  std::string source;
};

/// The parameters of a device: what its calibration measured, what was fitted to it, the datasheet's numbers, and for the
/// rest what is published of its architecture. `use_calibration` false leaves out what was measured and fitted.
ModelParameters model_parameters(const DeviceModel& device, bool use_calibration = true);
std::vector<ParameterRow> parameter_rows(const DeviceModel& device);

}  // namespace tilescope::model
