#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/catalogue/kernel_declaration.hpp"
#include "profiler/installation.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// The source that a point was compiled from, by its SHA-256, for the session to be self-contained. Empty
/// when it is neither in the cache's store nor, unedited, in the catalogue: after a worker on another
/// machine, for one.
std::map<std::string, SourceFile> sources_of(const Measurement& point,
                                             const std::vector<KernelDeclaration>& kernels,
                                             const Installation& installation);

}  // namespace tilescope
