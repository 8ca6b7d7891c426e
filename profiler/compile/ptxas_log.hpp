#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// Registers, static shared memory, spills and stack of `entry`, read from what `--ptxas-options=-v` prints
/// (its form is the same in CUDA 12 and 13). Nothing when the log does not speak of the entry.
std::optional<Resources> parse_ptxas_log(const std::string& log, const std::string& entry);

/// The kernels, by their mangled names, that the log speaks of.
std::vector<std::string> compiled_entries(const std::string& log);

/// The first error of a compiler's log in one sentence, with its line of the source; "" when there is none.
/// What ptxas says of too much static shared memory gets the repair behind it.
std::string first_error(const std::string& log);

}  // namespace tilescope
