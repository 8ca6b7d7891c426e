#pragma once

#include "profiler/kernels/compile/compiler.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Program, time and machine: everything known before compiling.
Provenance begin_provenance(const Experiment& experiment, const std::string& driver_version);

/// Adds the compilation.
void add_compilation(Provenance& provenance, const CompiledKernel& kernel);

}  // namespace tilescope
