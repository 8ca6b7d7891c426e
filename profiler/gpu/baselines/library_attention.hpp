#pragma once

#include <cuda.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace tilescope {

/// A library that a baseline needs is not on this machine, or is too old: the message says what was looked for, where,
/// and what to install.
class LibraryUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call of a library failed: the message names the library and the call, and has the library's error text.
class LibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The library does not support this shape: the message has the limit that it reports.
class LibraryRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Tensors on the device: Q and O are [B, Hq, Sq, D], K and V are [B, Hkv, Sk, D], contiguous, of the shape's dtype.
struct AttentionPointers {
  CUdeviceptr q = 0;
  CUdeviceptr k = 0;
  CUdeviceptr v = 0;
  CUdeviceptr o = 0;
};

/// Attention computed by a library: made for one shape on the GPU whose context is current, then enqueued any number of
/// times. The library is opened when the first one is made.
class LibraryAttention {
 public:
  virtual ~LibraryAttention() = default;

  /// The library and its version: "cuDNN 9.19.0".
  virtual std::string version() const = 0;
  /// [B] of device memory that enqueue may write, aligned to 256 B; 0 when it needs none.
  virtual std::size_t workspace_bytes() const = 0;
  /// Enqueues O = softmax(Q K^T / sqrt(D)) V, with the causal mask of kernels/device/head_view.cuh (aligned to the last
  /// key) if the shape has one. May be called while the stream is captured into a graph. Throws LibraryError.
  virtual void enqueue(CUstream stream, const AttentionPointers& tensors, CUdeviceptr workspace) = 0;
};

}  // namespace tilescope
