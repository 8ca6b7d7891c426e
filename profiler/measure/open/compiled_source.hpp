#pragma once

#include "profiler/measure/open/opened_codes.hpp"

namespace tilescope {

/// Compiles CUDA C++ as it stands, host code and all: with NVRTC, for which host code is left out, and where that does not
/// compile with nvcc. Throws UnusableFile with both compilers' words, CompileCancelled and NvrtcUnavailable.
OpenedCodes compiled_source(Workbench& bench, const SentFile& file, const CompileChoice& compile,
                            const MeasureControl& control);

}  // namespace tilescope
