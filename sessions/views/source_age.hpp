#pragma once

#include <map>
#include <string>

#include "sessions/measurement.hpp"

namespace tilescope {

/// The hash of each kernel's current source (Provenance::source_sha256), by kernel. A kernel whose files are unknown
/// has none.
using CurrentSources = std::map<std::string, std::string>;

/// Whether a point was compiled from another source than the kernel's current one. False if either is unknown.
bool is_of_older_source(const Measurement& point, const CurrentSources& now);

}  // namespace tilescope
