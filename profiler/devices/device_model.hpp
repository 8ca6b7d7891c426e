#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/installation.hpp"

namespace tilescope {

/// A figure that the microbenchmarks of kernels/micro/ measured on a device: the median of several runs.
struct MeasuredFigure {
  double value = 0;
  /// "cycles" of the SM clock, "1/clk/SM", "FLOP/clk/SM", "B/clk/SM" or "GB/s" (1e9 B/s)
  std::string unit;
  /// p90 - p10 over the runs, in the same unit.
  double spread = 0;
  /// "measured: clock64, 2026-11-21, driver 580.159.04 (CUDA 13.0), 1980 MHz"
  std::string source;

  bool operator==(const MeasuredFigure&) const = default;
};

/// Figures by name, measured by `tilescope devices --calibrate` (profiler/gpu/calibrate/calibration_plan.cpp) and read by
/// models. A warp instruction has 32 lanes; "under load" means with enough warps and independent work to keep one SM
/// busy.
/// - OP_latency_cycles: in a dependent chain; OP_lanes_per_clk_sm [1/clk/SM]: lanes that one SM finishes a clock. OP is
///   ffma, hfma2 (each lane two multiply-adds) or mufu_ex2.
/// - shared_load_WB_Nway_latency_cycles: from one load to the next that depends on it; shared_load_WB_Nway_cycles:
///   clocks of the SM per warp instruction under load. W is 4, 8 or 16 bytes a lane, N the lanes of a pass that access
///   different words of one bank: 1 to 32, 16, 8.
/// - ldmatrix_xM_latency_cycles and ldmatrix_xM_cycles likewise, free of conflicts, with M = 1, 2, 4 matrices;
///   ldmatrix_xM_trans_... the same transposed.
/// - mma_m16n8k16_TYPE_latency_cycles: in a chain through the FP32 accumulators; mma_m16n8k16_TYPE_flops_per_clk_sm
///   with 16 warps on an SM, ..._8warps_flops_per_clk_sm and ..._4warps_... with fewer. TYPE is fp16 or bf16.
/// - cp_async_WB_latency_cycles: from issuing a warp's copy of W bytes per lane from L2 to the end of the wait for it;
///   cp_async_WB_bytes_per_clk_sm: what one SM alone receives from L2.
/// - block_barrier_Nwarps_cycles: clocks for one barrier among N warps that do nothing else.
/// - l1_latency_cycles, l2_latency_cycles, dram_latency_cycles: of a global load that hits there; for L2 the mean over
///   all its slices, for DRAM with misses of the address translation.
/// - l2_read_bytes_per_clk_sm, l2_copy_bytes_per_clk_sm, l2_read_gb_per_s, l2_copy_gb_per_s, dram_read_gb_per_s,
///   dram_copy_gb_per_s: with all SMs at once; a copy counts its reads and its writes.
using MeasuredFigures = std::map<std::string, MeasuredFigure>;

/// A GPU as the table or the driver describes it.
struct DeviceModel {
  /// "L4"
  std::string name;
  /// The driver's names for this device: "NVIDIA L4".
  std::vector<std::string> aliases;
  /// The architecture for NVRTC: "sm_89", "sm_90a".
  std::string arch;
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t sm_count = 0;
  std::int64_t max_threads_per_block = 0;
  std::int64_t max_threads_per_sm = 0;
  std::int64_t max_warps_per_sm = 0;
  std::int64_t max_blocks_per_sm = 0;
  std::int64_t registers_per_sm = 0;
  std::int64_t registers_per_block = 0;
  /// [B]
  std::int64_t shared_bytes_per_sm = 0;
  /// [B] without the opt-in: 49,152
  std::int64_t shared_bytes_per_block = 0;
  /// [B] with it
  std::int64_t shared_bytes_per_block_optin = 0;
  /// [B] that the driver reserves in every block
  std::int64_t reserved_shared_bytes_per_block = 0;
  /// [B]
  std::int64_t l2_bytes = 0;
  /// [MHz]
  double boost_clock_mhz = 0;
  /// [1e9 B/s]
  double dram_gb_per_s = 0;
  /// Dense, FP32 accumulation.
  double fp16_tflops = 0;
  /// Each finishes a fused multiply-add a clock.
  std::int64_t fp32_lanes_per_sm = 0;
  /// [B/clk/SM] read from L2 with all SMs at once; 0 where it is not known.
  double l2_bytes_per_clk_sm = 0;
  /// [MHz] The most that the power cap leaves to long tensor-core runs; 0 where it is not known to be below the boost
  /// clock.
  double power_capped_clock_mhz = 0;
  /// [MHz] The least of it; 0 where it is not known.
  double power_capped_clock_min_mhz = 0;
  /// [W] The power cap; 0 where it is not known.
  double power_limit_w = 0;
  /// [W] At the boost clock, while SMs wait; 0 where it is not known.
  double idle_w = 0;
  /// The source of each number, by the field's name.
  std::map<std::string, std::string> sources;
  /// Empty if the device was not calibrated.
  MeasuredFigures measured;
  /// Figures of the latency model fitted on this device (profiler/devices/fitted_parameters.hpp). Empty if it
  /// was not fitted.
  MeasuredFigures fitted;
  /// Whether the GPU is in this machine.
  bool present = false;
  /// The driver's ordinal, when present.
  int ordinal = -1;
};

/// Reads all tables of a folder (assets/devices), sorted by name. Throws UnreadableFile with the field and the
/// reason for a table, std::runtime_error for the folder.
std::vector<DeviceModel> load_device_tables(const std::filesystem::path& folder);

/// Reads the tables that ship with the program and those that the user's calibrations wrote (device_table_path). A
/// user's table replaces the shipped one of its name. It may lack fp16_tflops, dram_gb_per_s and
/// fp32_lanes_per_sm, which the driver does not report; any table may lack l2_bytes_per_clk_sm,
/// power_capped_clock_mhz and what is known of power. Throws as above.
std::vector<DeviceModel> load_device_tables(const Installation& installation);

/// The file of the user's table of a device: data/devices/<name>.json, in lower case, with _ for every other character
/// than letters, digits and points.
std::filesystem::path device_table_path(const Installation& installation, const std::string& name);

/// Writes a table with what is known of the device, in the form that load_device_tables reads. Replaces the file and
/// makes its folders. Throws UnwritableFile; the old file is then untouched.
Json to_table_document(const DeviceModel& device);
void write_device_table(const std::filesystem::path& file, const DeviceModel& device);

/// A number of a table, or of the driver.
struct TableNumber {
  std::string name;
  double value = 0;
  std::string unit;
  std::string source;
};
/// Known numbers, without measured or fitted ones.
std::vector<TableNumber> table_numbers(const DeviceModel& device);

/// A device as `tilescope devices --json` lists it. Values that neither the table nor the driver knows are null.
Json to_json_document(const DeviceModel& device);
/// The reverse, for the worker's answers. Throws DocumentError with the place.
DeviceModel device_model_from(const Json& document);

/// The table with this name or alias, ignoring case, or nullptr. Only whole names match: an L40 is not an L4, and an
/// H100 PCIe has other numbers than an H100 SXM.
const DeviceModel* match_device(const std::vector<DeviceModel>& tables, const std::string& name);

}  // namespace tilescope
