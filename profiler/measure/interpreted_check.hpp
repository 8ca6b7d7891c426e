#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measure/reference_cache.hpp"
#include "profiler/memory/output_writes.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// What interpreted blocks made of the result, held against the reference.
struct OutputCheck {
  std::optional<Error> error;  ///< None where no row was written.
  std::string wrong;           ///< A sentence, "" when nothing is wrong.
  bool cancelled = false;      ///< While the reference was computed: the rest says nothing.
};

/// The result as interpreted blocks left it.
struct InterpretedOutput {
  std::vector<std::uint16_t> values;
  std::vector<ElementRange> written;  ///< Joined: what the blocks stored.
  bool is_of_whole_grid = false;      ///< All blocks ran.
};

/// Checks the elements that were written, in the rows that have any; where the reference of all of these rows would take
/// long, in some of them, evenly spread: `at_length` some seconds, else what a slider waits for. After the whole grid every
/// element of every row must be written.
OutputCheck check_output(ReferenceCache& references, const ProblemInputs& problem, const Shape& shape,
                         const InterpretedOutput& output, bool at_length,
                         const std::function<bool()>& cancelled);

}  // namespace tilescope
