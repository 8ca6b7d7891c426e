#pragma once

#include <string>
#include <vector>

#include "profiler/service/client/sweep.hpp"

namespace tilescope {

/// Reads "NAME" and "NAME=V1,V2". Throws WrongUsage for what the kernel does not declare, with the names that are near.
SweptParameters read_vary_arguments(const std::vector<std::string>& arguments,
                                    const KernelDeclaration& kernel);

}  // namespace tilescope
