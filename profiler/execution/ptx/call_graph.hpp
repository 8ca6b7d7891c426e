#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/ptx/syntax.hpp"

namespace tilescope::ptx {

/// The functions that a kernel can reach through direct calls.
struct CallGraph {
  /// Into Module::functions; the first is the kernel.
  std::vector<std::uint32_t> functions;
  /// By position in `functions`: positions, each once.
  std::vector<std::vector<std::uint32_t>> calls;

  /// The position of a function of the module; no_index if it is not reached.
  std::uint32_t position_of(std::uint32_t function) const;
  /// Whether a call of `from` can lead to a call of `to`. A function leads to itself only in a recursion.
  bool reaches(std::uint32_t from, std::uint32_t to) const;
  bool is_recursive() const;
  /// All positions, callees before their callers; within a recursion in any order.
  std::vector<std::uint32_t> callees_first() const;
};

/// Functions without a body are left out.
CallGraph call_graph(const Module& module, std::uint32_t kernel);

}  // namespace tilescope::ptx
