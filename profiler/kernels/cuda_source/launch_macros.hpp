#pragma once

#include <string>

#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// The text of a file in which each use of a macro that has a kernel or a launch in its body is replaced by that body
/// with its arguments; "" if there is none. Lines keep their numbers: an expansion is on the line of its use.
std::string with_expanded_launch_macros(const SyntaxTree& tree, const SourceIndex& index);

}  // namespace tilescope
