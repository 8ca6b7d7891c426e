#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measure/reference_cache.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// What interpreted blocks made of O, held against the reference.
struct OutputCheck {
  std::optional<Error> error;  ///< None where no row of the reference was written.
  std::string wrong;           ///< A sentence, "" when nothing is wrong.
  std::int64_t rows_written = 0;
};

/// Checks the rows that were written: those of O, poisoned before, that hold anything else now. With `whole_grid` every
/// row must be.
OutputCheck check_output(const CheckedProblem& problem, const Shape& shape,
                         const std::vector<std::uint16_t>& output, bool whole_grid);

}  // namespace tilescope
