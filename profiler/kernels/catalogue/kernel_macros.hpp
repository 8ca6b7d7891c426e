#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// Names with their values as written.
using KernelMacros = std::vector<std::pair<std::string, std::string>>;

/// Macros that a kernel's code is compiled with: every parameter, then the kernel's `macros` with the values
/// of the shape.
KernelMacros macros_of(const KernelDeclaration& kernel, const Configuration& complete, const Shape& shape);

}  // namespace tilescope
