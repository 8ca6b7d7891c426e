#pragma once

#include "app/explorer/kernel_list.hpp"
#include "sessions/views/ladder.hpp"

namespace tilescope {

/// How each kernel of the catalogue takes part in a ladder.
LadderKernels ladder_kernels(const KernelList& kernels);

}  // namespace tilescope
