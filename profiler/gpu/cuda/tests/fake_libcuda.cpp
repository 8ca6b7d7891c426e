// A driver without a GPU: counts its handles, and fails at the call that a test chooses. Device memory is host memory,
// launches do nothing. It can also end the launches of one kernel, as a GPU does where that has a fault.

#include "profiler/gpu/cuda/tests/fake_libcuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

namespace {

FakeCuda first_state() {
  FakeCuda first;
  if (const char* version = std::getenv("FAKE_CUDA_VERSION")) first.version = std::atoi(version);
  if (const char* fault = std::getenv("FAKE_CUDA_FAULT")) {
    const std::string text = fault;
    const std::size_t sign = text.find('=');
    text.copy(first.faulty_entry.data(), std::min(sign, first.faulty_entry.size() - 1));
    first.fault = static_cast<CUresult>(std::atoi(text.c_str() + sign + 1));
  }
  return first;
}

FakeCuda state = first_state();
std::map<CUfunction, std::string> entries;  // by handle, which is its module's

CUresult step() {
  ++state.calls;
  if (state.is_poisoned) return state.fault;
  return state.calls == state.fail_at ? state.fail_with : CUDA_SUCCESS;
}

// A wait for the GPU learns of the fault.
CUresult wait() {
  if (state.fault_is_pending) state.is_poisoned = true;
  return step();
}

bool refuses(CUresult result) {
  return result == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

template <typename T>
CUresult create(T* handle) {
  if (const CUresult result = step(); result != CUDA_SUCCESS) return result;
  ++state.live;
  *handle = reinterpret_cast<T>(std::malloc(1));
  return CUDA_SUCCESS;
}

template <typename T>
CUresult destroy(T handle) {
  --state.live;
  std::free(reinterpret_cast<void*>(handle));
  return CUDA_SUCCESS;
}

template <typename T>
CUresult answer(T* place, T value) {
  *place = value;
  return step();
}

struct ErrorWords {
  const char* name;
  const char* text;
};
ErrorWords words_of(CUresult result) {
  switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return {"CUDA_ERROR_OUT_OF_MEMORY", "out of memory"};
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      return {"CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory address was encountered"};
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
      return {"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"};
    case CUDA_ERROR_ASSERT:
      return {"CUDA_ERROR_ASSERT", "device-side assert triggered"};
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return {"CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address"};
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return {"CUDA_ERROR_LAUNCH_TIMEOUT", "the launch timed out and was terminated"};
    case CUDA_ERROR_LAUNCH_FAILED:
      return {"CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"};
    default:
      return {"CUDA_ERROR_OTHER", "something else"};
  }
}

int attribute_value(CUdevice_attribute attribute) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return 8;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return 9;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return 58;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return 1536;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return 2040000;  // [kHz]
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return 6251000;  // [kHz]
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return 192;  // [bit]
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return 1 << 20;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return 99 << 10;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return 100 << 10;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      return 64 << 10;
    default:
      return 1000 + static_cast<int>(attribute);
  }
}

}  // namespace

// The driver exports it under its old name, which Tilescope uses.
#undef cuEventElapsedTime

extern "C" {

FakeCuda* fake_cuda() {
  return &state;
}

CUresult cuInit(unsigned) {
  return state.init;
}
CUresult cuDriverGetVersion(int* version) {
  *version = state.version;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult result, const char** text) {
  *text = words_of(result).name;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult result, const char** text) {
  *text = words_of(result).text;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return answer(device, ordinal);
}
CUresult cuDeviceGetCount(int* count) {
  *count = state.devices;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "NVIDIA L4", static_cast<std::size_t>(length));
  return step();
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  return answer(value, attribute_value(attribute));
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  if (const CUresult result = step(); result != CUDA_SUCCESS) return result;
  ++state.live;
  *context = reinterpret_cast<CUcontext>(&state);
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) {
  --state.live;
  return CUDA_SUCCESS;
}
CUresult cuCtxGetDevice(CUdevice* device) {
  return answer(device, 0);
}
CUresult cuCtxSetCurrent(CUcontext) {
  return step();
}
CUresult cuCtxSynchronize() {
  return wait();
}
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  ++state.images;
  state.images_not_elf += std::memcmp(image,
                                      "\x7f"
                                      "ELF",
                                      4) != 0
                              ? 1
                              : 0;
  return create(module);
}
CUresult cuModuleUnload(CUmodule module) {
  return destroy(module);
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* entry) {
  entries[reinterpret_cast<CUfunction>(module)] = entry;
  return answer(function, reinterpret_cast<CUfunction>(module));
}
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute, CUfunction) {
  return answer(value, 32);
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return step();
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int, std::size_t) {
  return answer(blocks, 4);
}
CUresult cuLaunchKernel(CUfunction function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, CUstream, void**, void**) {
  if (state.fault == CUDA_SUCCESS || entries[function] != state.faulty_entry.data()) return step();
  if (++state.launches < state.first_faulty_launch) return step();
  if (refuses(state.fault)) return state.fault;
  state.fault_is_pending = true;
  return step();
}
CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t bytes) {
  if (const CUresult result = step(); result != CUDA_SUCCESS) return result;
  ++state.live;
  *memory = reinterpret_cast<CUdeviceptr>(std::calloc(bytes, 1));
  return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr memory) {
  return destroy(memory);
}
CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  if (const CUresult result = step(); result != CUDA_SUCCESS) return result;
  ++state.live;
  *memory = std::calloc(bytes, 1);
  return CUDA_SUCCESS;
}
CUresult cuMemFreeHost(void* memory) {
  return destroy(memory);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return step();
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return step();
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  if (!state.capturing) std::memset(reinterpret_cast<void*>(to), value, bytes);
  return step();
}
CUresult cuMemsetD32Async(CUdeviceptr, unsigned, std::size_t, CUstream) {
  return step();
}
CUresult cuStreamCreate(CUstream* stream, unsigned) {
  return create(stream);
}
CUresult cuStreamDestroy(CUstream stream) {
  return destroy(stream);
}
CUresult cuStreamSynchronize(CUstream) {
  return wait();
}
CUresult cuStreamBeginCapture(CUstream, CUstreamCaptureMode) {
  const CUresult result = step();
  state.capturing = result == CUDA_SUCCESS;
  return result;
}
CUresult cuStreamEndCapture(CUstream, CUgraph* graph) {
  state.capturing = false;
  return create(graph);
}
CUresult cuEventCreate(CUevent* event, unsigned) {
  return create(event);
}
CUresult cuEventDestroy(CUevent event) {
  return destroy(event);
}
CUresult cuEventRecord(CUevent, CUstream) {
  return step();
}
CUresult cuEventRecordWithFlags(CUevent, CUstream, unsigned) {
  return step();
}
CUresult cuEventSynchronize(CUevent) {
  return wait();
}
CUresult cuEventElapsedTime(float* milliseconds, CUevent, CUevent) {
  return answer(milliseconds, 0.25F);
}
CUresult cuGraphDestroy(CUgraph graph) {
  return destroy(graph);
}
CUresult cuGraphInstantiate(CUgraphExec* graph, CUgraph, unsigned long long) {
  return create(graph);
}
CUresult cuGraphUpload(CUgraphExec, CUstream) {
  return step();
}
CUresult cuGraphLaunch(CUgraphExec, CUstream) {
  return step();
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
  return destroy(graph);
}
}
