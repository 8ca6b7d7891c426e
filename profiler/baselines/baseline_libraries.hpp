#pragma once

#include "profiler/baselines/library_search.hpp"

namespace tilescope {

/// Where cuBLAS and cuDNN are looked for, and what installs them: those of the CUDA version that the driver here takes, the
/// newest where there is no driver.
LibrarySearch cublas_library();
LibrarySearch cudnn_library();

}  // namespace tilescope
