#pragma once

#include <cstdint>
#include <vector>

namespace tilescope::ptx {

/// Successors of each basic block; block 0 is the entry.
using ControlFlowGraph = std::vector<std::vector<std::uint32_t>>;

/// All blocks in a weak topological order (Bourdoncle 1993, "Efficient chaotic iteration strategies with widenings"):
/// every loop is contiguous, and every block comes after its predecessors, except along back edges. Lanes that run in
/// this order reconverge where the program's paths join. Unreachable blocks come last.
std::vector<std::uint32_t> weak_topological_order(const ControlFlowGraph& graph);

}  // namespace tilescope::ptx
