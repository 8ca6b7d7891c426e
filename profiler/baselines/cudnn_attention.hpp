#pragma once

#include <memory>
#include <string>

#include "profiler/baselines/library_attention.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// Attention as cuDNN computes it: the forward pass of its fused scaled dot-product attention, scores, weights and sums in
/// float, planned by cuDNN's heuristics for the GPU whose context is current. That has to be the primary context, the one
/// that cuDNN sees. Must outlive every graph that was captured from it: they launch the code of its plan.
///
/// cuDNN compiles the kernel with NVRTC (about a second): with the one that this process has opened, where its version is
/// the one that this cuDNN asks for, else with the one that it finds itself.
///
/// TILESCOPE_CUDNN names the folder that holds libcudnn.so.9 (or whose lib or lib64 does); unset, cuDNN is looked for as
/// open_library does. It is opened once and kept. Throws LibraryUnavailable where there is no usable cuDNN, LibraryRefused
/// where it computes no such shape (D no multiple of 8, a causal mask with more queries than keys), LibraryError where a
/// call fails.
std::unique_ptr<LibraryAttention> open_cudnn_attention(const Shape& shape);

/// A GPU that need not be here.
struct CudnnDevice {
  int sm_version = 0;  ///< 89 for sm_89
  std::string
      properties;  ///< JSON as cuDNN serialises a device's properties (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION).
};

/// Makes the operation graph of open_cudnn_attention for a device that need not be here, and drops it: what can be known of
/// cuDNN's answer without a GPU. Needs cuDNN 9.8. Throws as open_cudnn_attention does.
void check_cudnn_attention(const Shape& shape, const CudnnDevice& device);

}  // namespace tilescope
