#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/compile/compiler.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/measure/reference_cache.hpp"
#include "profiler/worker/server.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The GPUs of this machine, or in words why there are none.
class GpuHost {
 public:
  explicit GpuHost(const std::vector<DeviceModel>& tables);
  ~GpuHost();

  const std::vector<DeviceModel>& devices() const { return devices_; }
  /// "" when there is a GPU, else a sentence with what is missing and what to install.
  const std::string& why_none() const { return why_none_; }
  /// What NVRTC may compile for: the CUDA version that the driver supports.
  std::optional<std::pair<int, int>> driver_cuda() const { return driver_cuda_; }
  std::string driver_version() const { return driver_version_; }

 private:
  std::vector<DeviceModel> devices_;
  std::string why_none_;
  std::optional<std::pair<int, int>> driver_cuda_;
  std::string driver_version_;
};

}  // namespace tilescope
