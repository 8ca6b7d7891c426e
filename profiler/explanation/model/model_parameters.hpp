#pragma once

#include <array>
#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/devices/fitted_parameters.hpp"

namespace tilescope::model {

/// [cycles of the SM clock] by which a request of a warp keeps the way between its SM and L2 busy.
struct L2Costs {
  /// A load, for each line of 128 B and each sector that it asks for, beyond the bandwidth.
  double read_line = 0, read_sector = 0;
  /// A store, for each line, whole sector and sector of which it writes a part.
  double write_line = 0, write_sector = 0, write_partial_sector = 0;
  /// An atomic operation without a result, for each sector.
  double reduction_sector = 0;
};

/// The model's parameters of a GPU. Times in cycles of the SM clock.
struct ModelParameters : FittedNumbers {
  /// 89 for sm_89
  int architecture = 0;
  double sms = 1;
  /// Warps that an SM holds at most.
  double warps_of_sm = 64;
  /// [MHz] The boost clock.
  double clock_mhz = 0;
  /// [W] The power cap, and the power at the boost clock while SMs wait; 0 where they are not known.
  double power_limit_w = 0, idle_w = 0;

  /// From the end of a shared load's work in the load-store unit to its result, by bytes of a lane: 4, 8, 16.
  std::array<double, 3> shared_latency{};
  /// From the end of an ldmatrix's work to its result, by matrices: 1, 2, 4.
  std::array<double, 3> ldmatrix_latency{};
  double shuffle_latency = 0;
  /// [B/clk] from L1
  double l1_bytes_per_clk = 0;
  double l1_latency = 0, l2_latency = 0, dram_latency = 0;
  /// Latency of an asynchronous copy beyond a load from L2.
  double async_copy_latency = 0;
  /// A block barrier: from the last arrival to the first issue, and for each arriving warp.
  double barrier_latency = 0, barrier_cycles_of_warp = 0;
  /// [B/clk] that an SM gets from L2 when all ask at once, and when it is alone.
  double l2_bytes_of_sm = 0, l2_bytes_of_lone_sm = 0;
  /// The cost of a request to its SM when all ask L2 at once, and when the SM is alone.
  L2Costs l2_of_all, l2_of_lone;
  /// From an atomic operation in L2 to its result; and of the lanes of one that has a result, from one to the next.
  double atomic_latency = 0, atomic_cycles_of_lane = 0;
  /// A sector's turn in a slice of L2 (AtomicQueue), and from one to the next on floating-point values of one sector.
  double atomic_turn_cycles = 0, atomic_float_cycles = 0;
  /// A load from constant memory, and each further address of it.
  double constant_load_cycles = 0, constant_address_cycles = 0;
  /// [1e9 B/s] of a launch that reads alone or writes alone, and of one that does as much of both.
  double dram_gb_per_s = 0, dram_copy_gb_per_s = 0;
  /// [B]
  double l2_bytes = 0;

  /// Time of a product on the tensor cores over the architecture's: 2 for a GeForce of 8.6 and 8.9.
  double tensor_factor = 1;
};

/// The part of a device's table that is used.
enum class TableUse {
  all,
  /// The table without fitted figures.
  measured,
  /// The table without figures measured or fitted on the device.
  datasheet,
};

/// The parameters of a device: what was measured and fitted on it, its datasheet, and for the rest what is published of
/// its architecture.
ModelParameters model_parameters(const DeviceModel& device, TableUse use = TableUse::all);

/// A number of the model with its origin.
struct ParameterRow {
  std::string name;
  double value = 0;
  std::string unit;
  /// "measured: ...", "fitted: ...", "published: ...", "assumed: ...", or the datasheet's source.
  std::string source;
};
/// Rows of model_parameters that the table has no fields for (DeviceModel::sources).
std::vector<ParameterRow> parameter_rows(const DeviceModel& device);

}  // namespace tilescope::model
