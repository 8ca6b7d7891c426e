#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "profiler/execution/memory/global_checker.hpp"

namespace tilescope {

/// Adds the races between blocks of a grid in which nothing orders them, from the checkers of all host threads: of each
/// cell the first and the last block that wrote it and that read it. An occurrence is a cell.
void add_races_between_blocks(std::span<const GlobalChecker* const> checkers, GlobalRaceLog& log);

struct UnwrittenElements {
  std::uint64_t count = 0, total = 0;
  /// The lowest of them.
  std::uint64_t first = 0;
};
/// The elements of a buffer that no thread wrote; nothing where that is not known.
std::optional<UnwrittenElements> unwritten_elements(std::span<const GlobalChecker* const> checkers,
                                                    std::uint64_t address, std::uint64_t bytes,
                                                    std::uint64_t element_bytes);

}  // namespace tilescope
