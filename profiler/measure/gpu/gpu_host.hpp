#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/devices/device_model.hpp"
#include "profiler/kernels/compile/compiler.hpp"

namespace tilescope {

class GpuPort;

/// The GPUs of this machine, or the reason why there are none.
class GpuHost {
 public:
  explicit GpuHost(const std::vector<DeviceModel>& tables);
  ~GpuHost();

  const std::vector<DeviceModel>& devices() const { return devices_; }
  /// "" when there is a GPU, else a sentence that says what is missing and what to install.
  const std::string& why_none() const { return why_none_; }
  /// The CUDA version that the driver supports, which limits the version of NVRTC.
  std::optional<std::pair<int, int>> driver_cuda() const { return driver_cuda_; }
  /// "580.159.04 (CUDA 13.0)", "" without a driver.
  const std::string& driver_version() const { return driver_version_; }

  /// The port of a present device, opened at the first call. Throws cuda::CudaError and what Compiler throws.
  GpuPort& port(const DeviceModel& device, const Compiler& compiler, const std::filesystem::path& kernels);

 private:
  std::vector<DeviceModel> devices_;
  std::string why_none_;
  std::optional<std::pair<int, int>> driver_cuda_;
  std::string driver_version_;
  std::map<int, std::unique_ptr<GpuPort>> ports_;  // by ordinal
};

}  // namespace tilescope
