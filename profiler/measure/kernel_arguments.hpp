#pragma once

#include <cuda.h>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/cuda/gpu_runner.hpp"
#include "profiler/devices/device_model.hpp"

namespace tilescope {

/// The tensors of a problem on the GPU. Q and O [B, Hq, Sq, D], K and V [B, Hkv, Sk, D], LSE [B, Hq, Sq] in
/// float; all contiguous.
struct TensorPointers {
  CUdeviceptr q = 0, k = 0, v = 0, o = 0, lse = 0;
};

/// The arguments of a kernel's signature as its declaration lists them: AttentionProblem for our own kernels,
/// pointers and numbers for a foreign one. Throws DeclarationError for a type or a name that means nothing.
cuda::KernelArguments kernel_arguments(const KernelDeclaration& kernel, const Configuration& complete,
                                       const Shape& shape, const DeviceModel& device,
                                       const TensorPointers& tensors);

}  // namespace tilescope
