#pragma once

#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "sessions/views/ladder.hpp"

namespace tilescope {

/// How each kernel takes part in a ladder, as its declaration says.
LadderKernels ladder_kernels(const std::vector<KernelDeclaration>& kernels);

}  // namespace tilescope
