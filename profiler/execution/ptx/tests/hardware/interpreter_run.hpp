#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {

struct Interpreted {
  /// After the run.
  std::vector<std::vector<std::byte>> buffers;
  Traced traced;
};

/// Runs the whole grid of a case in the interpreter and counts memory accesses; with `check` also looks for faults.
/// Throws ptx::PtxError, ptx::Unsupported and what trace throws.
Interpreted interpret(const Case& one, const std::string& ptx, bool check = false);

/// The cost of a kind of access: "ld.shared", "ldmatrix", "cp.async", "cp.async.global" ...
struct OperationCost {
  /// Warp instructions with at least one lane.
  std::int64_t executions = 0;
  /// For global accesses the sectors.
  std::int64_t wavefronts = 0;
  std::int64_t minimum = 0;
};
std::map<std::string, OperationCost> cost_by_operation(const MemoryCounts& memory);

}  // namespace tilescope::hardware
