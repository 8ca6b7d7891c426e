#pragma once

#include <vector>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "sessions/views/points/ladder.hpp"

namespace tilescope {

/// How each kernel takes part in a ladder, as its declaration says.
LadderKernels ladder_kernels(const std::vector<KernelDeclaration>& kernels);

}  // namespace tilescope
