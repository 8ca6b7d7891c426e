#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sessions/measurement.hpp"

namespace tilescope {

/// Registers, static shared memory, spills and stack of `entry`, read from the output of `--ptxas-options=-v` (which
/// has the same form in CUDA 12 and 13). Nothing when the log does not mention the entry.
std::optional<Resources> parse_ptxas_log(const std::string& log, const std::string& entry);

/// The mangled names of the kernels that the log mentions.
std::vector<std::string> compiled_entries(const std::string& log);

/// The first error of a compiler's log in one sentence, with its line of the source; "" when there is none. The error
/// of ptxas for too much static shared memory is followed by the repair.
std::string first_error(const std::string& log);

}  // namespace tilescope
