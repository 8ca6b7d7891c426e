#pragma once

#include <vector>

#include "profiler/kernels/cuda_source/cuda_source.hpp"
#include "profiler/kernels/cuda_source/source_index.hpp"

namespace tilescope {

/// See CudaSource::shared_arrays.
std::vector<SharedArrayDeclaration> read_shared_arrays(const SourceIndex& index,
                                                       const TemplateValues& values);

}  // namespace tilescope
