#pragma once

#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// Numbers with a name: macros and constants at file scope; constants inside functions and template arguments of kernels
/// that are written as a number. A name with different values is there once, with the first one.
std::vector<SourceConstant> read_constants(const SourceIndex& index,
                                           const std::vector<SourceKernel>& kernels);

}  // namespace tilescope
