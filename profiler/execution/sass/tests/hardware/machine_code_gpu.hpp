#pragma once

#include <cstddef>
#include <vector>

#include "profiler/execution/sass/tests/hardware/machine_code_launch.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "profiler/kernels/compile/compiler.hpp"
#include "sessions/measurement.hpp"

namespace tilescope::hardware {

/// A launch with its buffers on a GPU, which must outlive it. Throws cuda::CudaError.
class GpuLaunch {
 public:
  GpuLaunch(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch);
  /// Enqueues it. It finds in the buffers what the launch before left.
  void enqueue();
  /// All buffers, once it is done.
  std::vector<std::vector<std::byte>> download() const;

 private:
  const cuda::GpuRunner& gpu_;
  const MachineCodeLaunch& launch_;
  cuda::LoadedKernel kernel_;
  std::vector<cuda::DeviceBuffer> buffers_;
  std::vector<std::byte> parameters_;
};

/// Makes a launch on a GPU, with fresh buffers. Returns all of them after it. Throws cuda::CudaError.
std::vector<std::vector<std::byte>> run_on_gpu(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch);

/// Time of a launch that is repeated back to back in a graph.
struct GpuTime {
  SampleStatistics l2_warm;
  /// Whether the second launch left the buffers as the first one did. If not, later ones may do other work.
  bool repeats = false;
};
/// `clock_probe` is the entry sm_clock_probe. Throws cuda::CudaError.
GpuTime time_on_gpu(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch,
                    const cuda::LoadedKernel& clock_probe);

}  // namespace tilescope::hardware
