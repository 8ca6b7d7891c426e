#pragma once

#include <cstddef>
#include <string>

#include "profiler/views/memory/microscope.hpp"

namespace tilescope {

/// Which lanes of a pass meet in which bank, and what in their addresses makes them meet.
std::string conflict_reason(const MicroscopeView& view, std::size_t pass);
/// The reason for atomics, of which each lane counts.
std::string atomic_reason(const MicroscopeView& view, std::size_t pass);

/// Banks of which a pass needs a word.
std::size_t banks_used(const AccessPass& pass);

}  // namespace tilescope
