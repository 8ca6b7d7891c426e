#pragma once

#include <cstddef>
#include <vector>

#include "profiler/cuda/gpu_runner.hpp"
#include "profiler/sass/tests/hardware/machine_code_launch.hpp"

namespace tilescope::hardware {

/// Makes a launch on a GPU, with fresh buffers. Returns all of them after it. Throws cuda::CudaError.
std::vector<std::vector<std::byte>> run_on_gpu(const cuda::GpuRunner& gpu, const MachineCodeLaunch& launch);

}  // namespace tilescope::hardware
