#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "profiler/memory/trace.hpp"
#include "profiler/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {

struct Interpreted {
  std::vector<std::vector<std::byte>> buffers;  ///< As the kernel leaves them.
  Traced traced;
};

/// Runs the whole grid of a case in the interpreter, with memory counted; with `check` also its faults. Throws
/// ptx::PtxError, ptx::Unsupported and what trace throws.
Interpreted interpret(const Case& one, const std::string& ptx, bool check = false);

/// What a kind of access cost: "ld.shared", "ldmatrix", "cp.async", "cp.async.global" ...
struct OperationCost {
  std::int64_t executions = 0;  ///< Warp instructions with at least one lane.
  std::int64_t wavefronts = 0;  ///< Of a global one its sectors.
  std::int64_t minimum = 0;
};
std::map<std::string, OperationCost> cost_by_operation(const MemoryCounts& memory);

}  // namespace tilescope::hardware
