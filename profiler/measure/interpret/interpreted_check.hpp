#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/output_writes.hpp"
#include "profiler/measure/caches/reference_cache.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// The result of interpreted blocks, compared with the reference.
struct OutputCheck {
  /// None when no row was written.
  std::optional<Error> error;
  /// A sentence, "" when the result is correct.
  std::string wrong;
  /// Cancelled while the reference was computed: the other members are then not set.
  bool cancelled = false;
};

/// The result after the interpreted blocks.
struct InterpretedOutput {
  std::vector<std::uint16_t> values;
  /// Elements that the blocks stored, joined.
  std::vector<ElementRange> written;
  /// All blocks ran.
  bool is_of_whole_grid = false;
};

/// Checks the written elements of all rows that have any. If the reference of all these rows would take too long,
/// checks some rows, evenly spread: a few seconds with `at_length`, else the time that a slider can wait. After the
/// whole grid every element of every row must be written.
OutputCheck check_output(ReferenceCache& references, const ProblemInputs& problem, const Shape& shape,
                         const InterpretedOutput& output, bool at_length,
                         const std::function<bool()>& cancelled);

}  // namespace tilescope
