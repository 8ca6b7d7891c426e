#pragma once

#include <functional>
#include <string>

#include "profiler/kernels/cuda_source/syntax_tree.hpp"

namespace tilescope {

/// Whether a node stands in a branch that is compiled only where a macro is defined, and the macro is not: #ifdef BF16,
/// #elif defined(FP16) && ..., outside of their #else. Macros with two leading underscores are the compiler's, and count as
/// defined; so does each that a condition with || or ! names.
bool is_in_undefined_branch(const SyntaxNode& node,
                            const std::function<bool(const std::string&)>& is_defined);

}  // namespace tilescope
