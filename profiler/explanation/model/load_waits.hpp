#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/simt/program.hpp"

namespace tilescope::model {

/// By Program::code of machine code: the last instruction until there, in its basic block, that waits for the result of a load
/// from global or local memory; the block's first one where none does. A warp issues what lies between two of them without
/// waiting for memory.
std::vector<std::uint32_t> last_load_waits(const simt::Program& program);

}  // namespace tilescope::model
