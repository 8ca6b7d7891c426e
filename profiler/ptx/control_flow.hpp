#pragma once

#include <cstdint>
#include <vector>

namespace tilescope::ptx {

/// Successors of each basic block; block 0 is the entry.
using ControlFlowGraph = std::vector<std::vector<std::uint32_t>>;

/// All blocks in an order in which every loop is contiguous and, its back edges aside, every block comes after its
/// predecessors: a weak topological order (Bourdoncle 1993, "Efficient chaotic iteration strategies with widenings").
/// Lanes that are run in this order meet where the paths of the program meet. Blocks that cannot be reached come last.
std::vector<std::uint32_t> weak_topological_order(const ControlFlowGraph& graph);

}  // namespace tilescope::ptx
