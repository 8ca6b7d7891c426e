#pragma once

#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// Kernels that a file defines, in the order of the text.
std::vector<SourceKernel> read_kernels(const SourceIndex& index);

/// A function's parameter from its declaration.
SourceParameter read_parameter(const SyntaxNode& declaration);

/// All of a function, from its list between parentheses.
std::vector<SourceParameter> read_parameters(const SyntaxNode& list);

}  // namespace tilescope
