#pragma once

#include <cstddef>

#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// Whether the value that a store writes is computed from a load of global memory, as in h[i] += 1. Followed backwards
/// through the registers in the order of the code, a few hundred instructions far; jumps are not followed.
bool stores_loaded_value(const simt::Program& program, std::size_t store);

}  // namespace tilescope
