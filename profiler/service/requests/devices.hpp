#pragma once

#include <string>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// The GPUs of the worker's machine, and what it compiles and counts with.
struct Devices {
  static constexpr const char* name = "devices";
  static constexpr std::chrono::seconds time_limit{60};
  struct Params {};
  /// A library that the worker opened, or why it has none.
  struct Library {
    std::string name;
    /// "" where there is none.
    std::string version;
    std::string why_absent;
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    std::vector<DeviceModel> present;
    /// A sentence when no GPU is present.
    std::string why_no_gpu;
    /// "580.159.04 (CUDA 13.0)", "" where there is none.
    std::string driver;
    Library compiler, counters;
  };
};

void to_json(Json& json, const Devices::Params& params);
void from_json(const Json& json, Devices::Params& params);
void to_json(Json& json, const Devices::Answer& answer);
void from_json(const Json& json, Devices::Answer& answer);

}  // namespace tilescope
