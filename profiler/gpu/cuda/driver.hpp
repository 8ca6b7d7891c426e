#pragma once

#include <cuda.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilescope::cuda {

/// The driver API as this program uses it: member, and the symbol of libcuda.so.1. The symbols exist since CUDA 12.0,
/// so that one program runs on every driver since then: newer headers redirect some names (cuEventElapsedTime) to
/// versions that older drivers do not have; where the signature is unchanged the older symbol is named here.
// clang-format off
#define TILESCOPE_DRIVER_CALLS(X)                                \
  X(Init, cuInit)                                                \
  X(DriverGetVersion, cuDriverGetVersion)                        \
  X(GetErrorName, cuGetErrorName)                                \
  X(GetErrorString, cuGetErrorString)                            \
  X(DeviceGet, cuDeviceGet)                                      \
  X(DeviceGetCount, cuDeviceGetCount)                            \
  X(DeviceGetName, cuDeviceGetName)                              \
  X(DeviceGetAttribute, cuDeviceGetAttribute)                    \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain)            \
  X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)       \
  X(CtxGetDevice, cuCtxGetDevice)                                \
  X(CtxSetCurrent, cuCtxSetCurrent)                              \
  X(CtxSynchronize, cuCtxSynchronize)                            \
  X(ModuleLoadDataEx, cuModuleLoadDataEx)                        \
  X(ModuleUnload, cuModuleUnload)                                \
  X(ModuleGetFunction, cuModuleGetFunction)                      \
  X(FuncGetAttribute, cuFuncGetAttribute)                        \
  X(FuncSetAttribute, cuFuncSetAttribute)                        \
  X(OccupancyMaxActiveBlocksPerMultiprocessor, cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(LaunchKernel, cuLaunchKernel)                                \
  X(MemAlloc, cuMemAlloc_v2)                                     \
  X(MemFree, cuMemFree_v2)                                       \
  X(MemHostAlloc, cuMemHostAlloc)                                \
  X(MemFreeHost, cuMemFreeHost)                                  \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)                       \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)                       \
  X(MemsetD8Async, cuMemsetD8Async)                              \
  X(MemsetD32Async, cuMemsetD32Async)                            \
  X(StreamCreate, cuStreamCreate)                                \
  X(StreamDestroy, cuStreamDestroy_v2)                           \
  X(StreamSynchronize, cuStreamSynchronize)                      \
  X(StreamBeginCapture, cuStreamBeginCapture_v2)                 \
  X(StreamEndCapture, cuStreamEndCapture)                        \
  X(EventCreate, cuEventCreate)                                  \
  X(EventDestroy, cuEventDestroy_v2)                             \
  X(EventRecord, cuEventRecord)                                  \
  X(EventRecordWithFlags, cuEventRecordWithFlags)                \
  X(EventSynchronize, cuEventSynchronize)                        \
  X(EventElapsedTime, cuEventElapsedTime)                        \
  X(GraphDestroy, cuGraphDestroy)                                \
  X(GraphInstantiate, cuGraphInstantiateWithFlags)               \
  X(GraphUpload, cuGraphUpload)                                  \
  X(GraphLaunch, cuGraphLaunch)                                  \
  X(GraphExecDestroy, cuGraphExecDestroy)
// clang-format on

struct DriverCalls {
// NOLINTNEXTLINE(bugprone-macro-parentheses): names of functions, which parentheses would change.
#define TILESCOPE_MEMBER(member, symbol) decltype(&symbol) member = nullptr;
  TILESCOPE_DRIVER_CALLS(TILESCOPE_MEMBER)
#undef TILESCOPE_MEMBER
};

/// No GPU is available: the message says what is missing and what to do about it.
class DriverUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The NVIDIA driver, opened at run time and initialised.
class Driver {
 public:
  /// Throws DriverUnavailable: no library (no NVIDIA driver), too old, no device, or another error of cuInit.
  static std::shared_ptr<const Driver> open(const std::string& library = "libcuda.so.1");

  /// The driver of this process, opened at the first call. Throws DriverUnavailable, at every call with the reason.
  static const Driver& get();
  /// Makes get() return another driver, for tests with a fake library.
  static void replace(std::shared_ptr<const Driver> driver);

  const DriverCalls& calls() const { return calls_; }
  /// The newest CUDA version that the driver supports, {13, 0}.
  std::pair<int, int> cuda_version() const { return {version_ / 1000, version_ % 1000 / 10}; }
  /// "580.159.04 (CUDA 13.0)", or "CUDA 13.0" if the kernel module's version is unknown.
  std::string version_text() const;
  /// At least 1.
  int device_count() const { return device_count_; }

 private:
  Driver() = default;

  std::shared_ptr<void> library_;
  DriverCalls calls_;
  /// 13000 for CUDA 13.0
  int version_ = 0;
  int device_count_ = 0;
};

}  // namespace tilescope::cuda
