#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sessions/json.hpp"

namespace tilescope {

/// A GPU as the table or the driver describes it.
struct DeviceModel {
  std::string name;                  ///< "L4"
  std::vector<std::string> aliases;  ///< What the driver calls this device: "NVIDIA L4".
  std::string arch;                  ///< What NVRTC compiles for: "sm_89", "sm_90a".
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t sm_count = 0;
  std::int64_t max_threads_per_block = 0;
  std::int64_t max_threads_per_sm = 0;
  std::int64_t max_warps_per_sm = 0;
  std::int64_t max_blocks_per_sm = 0;
  std::int64_t registers_per_sm = 0;
  std::int64_t registers_per_block = 0;
  std::int64_t shared_bytes_per_sm = 0;              ///< [B]
  std::int64_t shared_bytes_per_block = 0;           ///< [B] without the opt-in: 49,152
  std::int64_t shared_bytes_per_block_optin = 0;     ///< [B] with it
  std::int64_t reserved_shared_bytes_per_block = 0;  ///< [B] taken by the driver from every block
  std::int64_t l2_bytes = 0;                         ///< [B]
  double boost_clock_mhz = 0;                        ///< [MHz]
  double dram_gb_per_s = 0;                          ///< [1e9 B/s]
  double fp16_tflops = 0;                            ///< Dense, FP32 accumulation.
  std::map<std::string, std::string> sources;        ///< Where each number is from, by the field's name.
  bool present = false;                              ///< A GPU in this machine.
  int ordinal = -1;                                  ///< Of the driver, when present.
};

/// All tables of a folder (assets/devices), sorted by name. Throws std::runtime_error with file, field and
/// reason.
std::vector<DeviceModel> load_device_tables(const std::filesystem::path& folder);

/// What `tilescope devices --json` lists: what neither the table nor the driver knows is null.
Json to_json_document(const DeviceModel& device);
/// The way back, for the worker's answers. Throws DocumentError with the place.
DeviceModel device_model_from(const Json& document);

/// The table whose name or one of whose aliases is `name`, in upper or lower case, or nullptr. Only whole
/// names match: an L40 is no L4, an H100 PCIe has other numbers than an H100 SXM.
const DeviceModel* match_device(const std::vector<DeviceModel>& tables, const std::string& name);

}  // namespace tilescope
