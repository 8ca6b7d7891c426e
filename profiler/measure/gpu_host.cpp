#include "profiler/measure/gpu_host.hpp"

#include <dlfcn.h>

namespace tilescope {

GpuHost::GpuHost(const std::vector<DeviceModel>&) {
  why_none_ = "no NVIDIA driver (libcuda.so.1) on this machine";
}

GpuHost::~GpuHost() = default;

}  // namespace tilescope
