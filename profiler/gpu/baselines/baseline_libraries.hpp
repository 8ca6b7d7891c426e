#pragma once

#include "profiler/gpu/baselines/library_search.hpp"

namespace tilescope {

/// Where to look for cuBLAS and cuDNN, and how to install them: for the CUDA version that this machine's driver
/// supports, or the newest if there is no driver.
LibrarySearch cublas_library();
LibrarySearch cudnn_library();

}  // namespace tilescope
