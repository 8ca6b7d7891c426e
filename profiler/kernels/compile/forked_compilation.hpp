#pragma once

#include <functional>
#include <shared_mutex>

#include "profiler/kernels/compile/compiler_output.hpp"

namespace tilescope {

/// Held shared by each compilation in this process: a process that is forked meanwhile has NVRTC's locks as they are.
std::shared_timed_mutex& running_compilations();

/// Runs `compile` in a forked process, once no compilation runs in this one. Throws the CompileFailed that it throws, or
/// one that names the signal that ended it, and CompileCancelled.
CompilerOutput compile_in_fork(const std::function<CompilerOutput()>& compile,
                               const std::function<bool()>& cancelled);

}  // namespace tilescope
