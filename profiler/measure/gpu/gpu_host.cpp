#include "profiler/measure/gpu/gpu_host.hpp"

#include "profiler/gpu/cuda/driver.hpp"
#include "profiler/gpu/cuda/query_device.hpp"
#include "profiler/measure/gpu/gpu_port.hpp"

namespace tilescope {

GpuHost::GpuHost(const std::vector<DeviceModel>& tables) {
  try {
    const cuda::Driver& driver = cuda::Driver::get();
    driver_cuda_ = driver.cuda_version();
    driver_version_ = driver.version_text();
    devices_ = cuda::query_devices(tables);
  } catch (const std::exception& error) {
    why_none_ = error.what();
  }
}

GpuHost::~GpuHost() = default;

GpuPort& GpuHost::port(const DeviceModel& device, const Compiler& compiler,
                       const std::filesystem::path& kernels) {
  std::unique_ptr<GpuPort>& port = ports_[device.ordinal];
  if (!port) port = std::make_unique<GpuPort>(device, compiler, kernels);
  return *port;
}

}  // namespace tilescope
