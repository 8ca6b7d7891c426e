#pragma once

#include "profiler/kernels/cuda_source/launch_reader.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// Whether a call is of a function of the runtime that launches a kernel: cudaLaunchKernel, cudaLaunchKernelEx.
bool is_api_launch(const SyntaxNode& call);

/// The kernel's expression of such a call.
SyntaxNode api_launch_kernel(const SyntaxNode& call);

/// Fills in the configuration and the arguments of such a call: of cudaLaunchKernel from the array of their addresses.
void read_api_launch(const SourceIndex& index, LaunchNodes& nodes);

}  // namespace tilescope
