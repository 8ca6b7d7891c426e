#pragma once

#include "profiler/kernels/catalogue/declaration_problems.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// Adds what is wrong in the expressions of a declaration whatever the configuration is: their syntax, and names that
/// are not known or not known yet. Members that have a problem already are left out.
void check_expressions(const KernelDeclaration& kernel, DeclarationProblems& problems);

}  // namespace tilescope
