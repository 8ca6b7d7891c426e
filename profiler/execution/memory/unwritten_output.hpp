#pragma once

#include <span>

#include "profiler/execution/memory/global_checker.hpp"
#include "profiler/execution/memory/trace.hpp"

namespace tilescope {

/// Adds a finding for each output of which elements were not written, and a note for each other buffer that was written
/// in parts. Only for a run of the whole grid to its end.
void add_unwritten_output(std::span<const GlobalChecker* const> checkers,
                          std::span<const GivenBuffer> buffers, Traced& traced);

}  // namespace tilescope
