#pragma once

#include <vector>

#include "profiler/execution/sass/disassembler.hpp"
#include "profiler/execution/sass/tests/damaged_code/code_damage.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope::damaged_code {

/// Kernels for sm_80, sm_89 or sm_90a whose instructions are of every family: arithmetic of all types, divergence, calls,
/// jump tables, shared and local memory, atomics, shuffles, barriers, asynchronous copies, matrices.
std::vector<IntactCode> intact_codes(const Nvrtc& nvrtc, const sass::Disassembler& nvdisasm);

}  // namespace tilescope::damaged_code
