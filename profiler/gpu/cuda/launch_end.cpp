#include "profiler/gpu/cuda/launch_end.hpp"

namespace tilescope::cuda {

LaunchEnd launch_end(CUresult result) {
  switch (result) {
    case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    case CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE:
    case CUDA_ERROR_INVALID_CLUSTER_SIZE:
      return LaunchEnd::refused;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
      return LaunchEnd::bad_address;
    case CUDA_ERROR_MISALIGNED_ADDRESS:
      return LaunchEnd::misaligned;
    case CUDA_ERROR_ASSERT:
      return LaunchEnd::failed_assertion;
    case CUDA_ERROR_LAUNCH_TIMEOUT:
      return LaunchEnd::too_long;
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
      return LaunchEnd::other_fault;
    default:
      return LaunchEnd::unrelated;
  }
}

std::string driver_words(CUresult result) {
  const DriverCalls& calls = Driver::get().calls();
  const char* name = nullptr;
  const char* text = nullptr;
  const bool has_name = calls.GetErrorName(result, &name) == CUDA_SUCCESS && name != nullptr;
  const bool has_text = calls.GetErrorString(result, &text) == CUDA_SUCCESS && text != nullptr;
  const std::string number = "CUDA error " + std::to_string(static_cast<int>(result));
  return (has_text ? text : "the driver has no text for the error") + std::string(" (") +
         (has_name ? name : number) + ")";
}

}  // namespace tilescope::cuda
