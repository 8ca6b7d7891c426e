#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/measure/files/file_launch.hpp"
#include "profiler/measure/gpu/gpu_port.hpp"

namespace tilescope {

/// A launch of a kernel of a file on the GPU: its buffers lie there with the values that the launch file gives them. Every
/// call throws cuda::CudaError. `port` and `launch` must outlive it.
class FileOnGpu {
 public:
  /// `code`: a cubin for this GPU, or PTX that the driver compiles.
  FileOnGpu(GpuPort& port, std::span<const char> code, const std::string& entry, const FileLaunch& launch);

  /// Once, and waits for the end.
  void run();
  /// A buffer of FileLaunch::buffers() as it is now.
  std::vector<std::byte> contents(std::size_t buffer) const;
  /// Launches after each other on the same buffers. Meaningless once control.cancelled().
  Latency time(const TimingBudget& timing, const MeasureControl& control);

 private:
  void enqueue() const;

  GpuPort& port_;
  const FileLaunch& launch_;
  cuda::LoadedKernel kernel_;
  std::vector<cuda::DeviceBuffer> buffers_;
  cuda::KernelArguments arguments_;
};

}  // namespace tilescope
