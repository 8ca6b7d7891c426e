#include "profiler/gpu/cuda/cuda_error.hpp"

#include <cstdio>
#include <string_view>

namespace tilescope::cuda {
namespace {

/// "profiler/gpu/cuda/handles.cpp": the path relative to the repository, wherever it was built.
std::string_view within_repository(std::string_view file) {
  const std::size_t at = file.rfind("profiler/");
  return at == std::string_view::npos ? file : file.substr(at);
}

std::string describe(CUresult result, const char* call, const char* file, int line) {
  const DriverCalls& calls = Driver::get().calls();
  const char* name = nullptr;
  const char* text = nullptr;
  if (calls.GetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr) name = "CUDA error";
  if (calls.GetErrorString(result, &text) != CUDA_SUCCESS || text == nullptr)
    text = "the driver has no text for it";
  return std::string(name) + " (" + std::to_string(static_cast<int>(result)) + "): " + text + ", in " + call +
         " at " + std::string(within_repository(file)) + ":" + std::to_string(line);
}

}  // namespace

bool poisons_context(CUresult result) {
  switch (result) {
    case CUDA_ERROR_DEINITIALIZED:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_CONTAINED:
    case CUDA_ERROR_UNKNOWN:
      return true;
    default:
      return false;
  }
}

CudaError::CudaError(CUresult result, const char* call, const char* file, int line)
    : std::runtime_error(describe(result, call, file, line)), result_(result) {}

void report(CUresult result, const char* call, const char* file, int line) noexcept {
  if (poisons_context(result)) return;
  try {
    std::fprintf(stderr, "tilescope: %s\n", describe(result, call, file, line).c_str());
  } catch (...) {
    std::fprintf(stderr, "tilescope: CUDA error %d in %s\n", static_cast<int>(result), call);
  }
}

}  // namespace tilescope::cuda
