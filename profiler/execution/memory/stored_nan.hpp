#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "profiler/execution/memory/global_checker.hpp"
#include "profiler/execution/memory/trace.hpp"

namespace tilescope {

/// The lowest block that was the last to write a NaN that a buffer holds now.
std::optional<std::uint64_t> block_that_stored_nan(std::span<const GlobalChecker* const> checkers,
                                                   std::span<const GivenBuffer> buffers,
                                                   const simt::GlobalMemory& memory);

/// Runs a block again, in memory as it was before the launch, and names the instruction in which the NaN begins;
/// nothing where it was loaded, or its way is not followed.
std::optional<Finding> origin_of_nan(const simt::Program& program, const simt::Launch& launch,
                                     simt::GlobalMemory& memory, std::uint64_t block,
                                     const TraceOptions& options);

}  // namespace tilescope
