#pragma once

#include <functional>
#include <string>

#include "profiler/execution/ptx/shared_uses.hpp"
#include "profiler/execution/simt/address_space.hpp"
#include "profiler/execution/simt/program.hpp"

namespace tilescope {

/// The arrays of a cubin's kernel in shared memory, from the PTX that the cubin carries; none where it carries none.
ptx::SharedUses shared_uses_of(const std::string& cubin, const std::string& entry);

/// Names the shared memory of machine code without names by its extern array, and by its static one where there is one
/// alone.
void name_shared_memory(const ptx::SharedUses& uses, simt::Program& program);

/// Whether a run shows more names: there are several static arrays, in an order of ptxas's own.
bool has_unplaced_arrays(const ptx::SharedUses& uses, const simt::Program& program);

/// Names several static arrays by running the first block of a launch, on the memory as it is, and comparing the bytes
/// that it reaches with the arrays that its PTX accesses there. Throws what simt::run() throws.
void place_shared_arrays(const ptx::SharedUses& uses, simt::Program& program, const simt::Launch& launch,
                         simt::GlobalMemory& memory, const std::function<bool()>& cancelled);

}  // namespace tilescope
