#pragma once

#include <map>
#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The hash of each kernel's source as its files are now (Provenance::source_sha256), by kernel. A kernel whose files
/// are not known has none.
using CurrentSources = std::map<std::string, std::string>;

/// Whether a point was compiled from another source than the kernel has now. False where either is not known.
bool is_of_older_source(const Measurement& point, const CurrentSources& now);

}  // namespace tilescope
