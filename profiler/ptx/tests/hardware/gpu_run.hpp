#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiler/cuda/gpu_runner.hpp"
#include "profiler/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {

/// Runs a case once on a GPU: the driver compiles the PTX, so that what the GPU runs is what the interpreter reads. Returns
/// all of the case's buffers as the kernel leaves them. Throws cuda::CudaError, with the driver's compiler's log when it
/// refuses the PTX.
std::vector<std::vector<std::byte>> run_on_gpu(const cuda::GpuRunner& gpu, const Case& one,
                                               const std::string& ptx);

}  // namespace tilescope::hardware
