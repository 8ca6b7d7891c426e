#pragma once

#include <optional>
#include <string>

#include "sessions/memory_counts.hpp"
#include "sessions/session.hpp"

namespace tilescope {

/// Table of the cost of memory accesses, for the user: each access site of shared and of global memory, then
/// the totals and the instruction mix. `source` is the kernel's file as it was compiled; without it the lines
/// have no text.
std::string memory_table_text(const MemoryCounts& memory, const std::optional<SourceFile>& source);

}  // namespace tilescope
