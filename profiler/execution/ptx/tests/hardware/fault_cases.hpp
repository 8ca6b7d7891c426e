#pragma once

#include <string>
#include <vector>

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

/// Kernels with a planted fault, and the same kernels without it (profiler/execution/ptx/tests/faults).
namespace tilescope::hardware {

struct FaultKernel {
  /// Name of its file and of its entry.
  std::string name;
  /// The finding that names the fault (sessions/memory_counts.hpp).
  std::string finding;
  std::uint32_t threads = 128;
  std::uint32_t dynamic_shared_bytes = 0;
};

const std::vector<FaultKernel>& fault_kernels();

/// The launch of a kernel with its fault or repaired.
Case fault_case(const FaultKernel& kernel, bool planted);

}  // namespace tilescope::hardware
