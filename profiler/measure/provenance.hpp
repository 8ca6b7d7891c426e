#pragma once

#include "profiler/compile/compiler.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// Program, time and machine: what is known before anything is compiled.
Provenance begin_provenance(const Experiment& experiment, const std::string& driver_version);

/// Adds what the compiler did.
void add_compilation(Provenance& provenance, const CompiledKernel& kernel);

}  // namespace tilescope
