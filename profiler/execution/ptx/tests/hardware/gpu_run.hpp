#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"

namespace tilescope::hardware {

/// Runs a case once on a GPU. The driver compiles the PTX, so that the GPU runs the text that the interpreter reads.
/// Returns all of the case's buffers after the run. Throws cuda::CudaError, with the log of the driver's compiler when
/// it rejects the PTX.
std::vector<std::vector<std::byte>> run_on_gpu(const cuda::GpuRunner& gpu, const Case& one,
                                               const std::string& ptx);

}  // namespace tilescope::hardware
