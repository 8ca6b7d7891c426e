#pragma once

#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {

class SyntaxTree;

/// Prototypes and variables at file scope that only the host uses, as CudaSource gives them.
std::vector<SourceFunction> read_host_declarations(const SyntaxTree& tree);

}  // namespace tilescope
