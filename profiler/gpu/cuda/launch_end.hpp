#pragma once

#include <cstdint>
#include <string>

#include "profiler/gpu/cuda/driver.hpp"

namespace tilescope::cuda {

/// How a launch ended for which the driver reports an error.
enum class LaunchEnd : std::uint8_t {
  /// The error is about a call of ours or about the machine.
  unrelated,
  /// The GPU cannot run the launch: no instruction of it was executed.
  refused,
  /// The kernel ran, and the GPU ended it for one of these faults.
  bad_address,
  misaligned,
  failed_assertion,
  too_long,
  other_fault,
};

LaunchEnd launch_end(CUresult result);

/// "an illegal memory address was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)": the driver's text, and the error's name.
std::string driver_words(CUresult result);

}  // namespace tilescope::cuda
