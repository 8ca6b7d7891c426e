#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/measure/reference_cache.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// What interpreted blocks made of the result, held against the reference.
struct OutputCheck {
  std::optional<Error> error;  ///< None where no row was written.
  std::string wrong;           ///< A sentence, "" when nothing is wrong.
  bool cancelled = false;      ///< While the reference was computed: the rest says nothing.
};

/// Checks the rows that were written: those of the result, poisoned before, that hold anything else now; where the reference of
/// all of them would take long, some of them, evenly spread. With `whole_grid` every row must be written.
OutputCheck check_output(ReferenceCache& references, const ProblemInputs& problem, const Shape& shape,
                         const std::vector<std::uint16_t>& output, bool whole_grid,
                         const std::function<bool()>& cancelled);

}  // namespace tilescope
