#pragma once

#include <memory>

#include "profiler/gpu/baselines/library_attention.hpp"
#include "profiler/gpu/cuda/gpu_runner.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// Attention without fusion: two strided-batched products by cuBLAS (cublasGemmStridedBatchedEx, 16-bit elements, sums
/// in float), and between them `softmax`, the entry softmax_rows of kernels/baselines/cublas_unfused.cu compiled for
/// this shape. The scores [B, Hq, Sq, Sk] lie in the workspace.
///
/// TILESCOPE_CUDA names a CUDA Toolkit whose cuBLAS is used; unset, cuBLAS is looked for as open_library does. Throws
/// LibraryUnavailable and LibraryError.
std::unique_ptr<LibraryAttention> open_cublas_attention(const Shape& shape, cuda::LoadedKernel softmax);

}  // namespace tilescope
