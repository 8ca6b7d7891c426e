#pragma once

#include <memory>
#include <string>

#include "profiler/gpu/baselines/library_attention.hpp"
#include "sessions/experiment.hpp"

namespace tilescope {

/// Attention as cuDNN computes it: the forward pass of its fused scaled dot-product attention, scores, weights and sums
/// in float, planned by cuDNN's heuristics for the GPU whose context is current. That must be the primary context,
/// which is the one that cuDNN uses. The object must outlive every graph that was captured from it: these launch the
/// code of its plan.
///
/// cuDNN compiles the kernel with NVRTC (about a second): with the one that this process has opened, if its version is
/// the one that this cuDNN needs, else with one that it finds itself.
///
/// TILESCOPE_CUDNN names the folder that holds libcudnn.so.9 (or whose lib or lib64 does); if it is not set, cuDNN is
/// looked for as open_library does. It is opened once and kept. Throws LibraryUnavailable when there is no usable
/// cuDNN, LibraryRefused when it does not support the shape (D not a multiple of 8, a causal mask with more queries
/// than keys), and LibraryError when a call fails.
std::unique_ptr<LibraryAttention> open_cudnn_attention(const Shape& shape);

/// A GPU, which may be absent.
struct CudnnDevice {
  /// 89 for sm_89
  int sm_version = 0;
  /// A device's properties as JSON, as cuDNN serialises them (CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION).
  std::string properties;
};

/// Makes the operation graph of open_cudnn_attention for a device that may be absent, and discards it. This is the part
/// of cuDNN's answer that needs no GPU. Needs cuDNN 9.8. Throws as open_cudnn_attention does.
void check_cudnn_attention(const Shape& shape, const CudnnDevice& device);

}  // namespace tilescope
