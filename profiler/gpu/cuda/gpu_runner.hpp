#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "profiler/devices/launch_geometry.hpp"
#include "profiler/gpu/cuda/handles.hpp"

namespace tilescope::cuda {

/// The architecture for NVRTC: "sm_89"; on Hopper "sm_90a", so that its own instructions (wgmma) can be used.
std::string arch_name(int compute_major, int compute_minor);

/// The arguments of a kernel of any signature, in order: the bytes of each kernel parameter.
class KernelArguments {
 public:
  template <typename T>
  KernelArguments& add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return add_bytes(std::move(bytes));
  }
  KernelArguments& add_bytes(std::vector<std::byte> bytes) {
    arguments_.push_back(std::move(bytes));
    return *this;
  }
  std::size_t size() const { return arguments_.size(); }

  /// The pointers for cuLaunchKernel, into this object.
  std::vector<void*> pointers() const;

 private:
  std::vector<std::vector<std::byte>> arguments_;
};

/// A kernel loaded into the current context.
class LoadedKernel {
 public:
  /// Throws CudaError when the machine code is not for this GPU or has no such entry.
  LoadedKernel(std::span<const char> cubin, const std::string& entry);

  CUfunction function() const { return function_; }
  int attribute(CUfunction_attribute attribute) const;
  /// Per thread.
  int registers() const { return attribute(CU_FUNC_ATTRIBUTE_NUM_REGS); }
  /// [B] per block
  int static_shared_bytes() const { return attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES); }
  /// [B] per thread
  int local_bytes() const { return attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES); }

  /// The opt-in that a launch with more than 48 KB of dynamic shared memory needs; less may be given too. [B] per
  /// block. Throws CudaError (CUDA_ERROR_INVALID_VALUE) beyond the device's limit.
  void allow_dynamic_shared(std::size_t bytes);
  /// The blocks that an SM holds according to the driver (cuOccupancyMaxActiveBlocksPerMultiprocessor), after
  /// allow_dynamic_shared.
  int blocks_per_sm(const LaunchGeometry& geometry) const;

 private:
  Module module_;
  CUfunction function_ = nullptr;
};

/// One GPU to run kernels on: its context, current on the thread that made it, and one stream. The measuring sequence
/// consists of these calls. Every failure throws CudaError; after a sticky one (is_sticky()) this process can run
/// nothing more.
class GpuRunner {
 public:
  /// Throws DriverUnavailable or CudaError.
  explicit GpuRunner(int ordinal);

  int ordinal() const { return ordinal_; }
  /// "sm_89", "sm_90a": for compiling the probe and the fill kernels.
  std::string arch() const;
  /// [B]
  std::size_t l2_bytes() const;
  /// [MHz] the driver's CLOCK_RATE: the boost clock.
  double default_sm_clock_mhz() const;
  const Stream& stream() const { return stream_; }

  DeviceBuffer allocate(std::size_t bytes) const { return DeviceBuffer(bytes); }
  /// Allocates device memory and uploads `bytes`.
  DeviceBuffer upload(std::span<const std::byte> bytes) const;
  std::vector<std::byte> download(const DeviceBuffer& buffer) const;
  /// Fills it so that every half, bfloat16 and float is a NaN, which shows elements that a kernel does not write.
  void poison(DeviceBuffer& buffer) const { buffer.fill(0xFF, stream_); }

  /// Enqueues a launch; a fault in the kernel is thrown by synchronize().
  void launch(const LoadedKernel& kernel, const LaunchGeometry& geometry,
              const KernelArguments& arguments) const;
  void synchronize() const { stream_.synchronize(); }

 private:
  int ordinal_;
  PrimaryContext context_;
  Stream stream_;
};

}  // namespace tilescope::cuda
