#pragma once

#include <string>

#include "profiler/views/memory/microscope.hpp"

namespace tilescope {

/// How much of the sectors an access to global memory uses, and why it needs more than the minimum.
std::string sector_reason(const MicroscopeView& view);

}  // namespace tilescope
