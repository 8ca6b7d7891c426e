#pragma once

#include <string>
#include <vector>

#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {

/// A compiler's log without what it quotes from files that are not carried with the source: the log stands in sessions.
/// A message about such a file keeps its place and its words, but not the code. Files below `toolkit_folders` are
/// public.
std::string redacted_log(const std::string& log, const KernelSource& source,
                         const std::vector<std::string>& toolkit_folders);

}  // namespace tilescope
