#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "app/commands/vary_arguments.hpp"
#include "base/json_fwd.hpp"
#include "profiler/views/kernel_file/tried_row.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"

namespace tilescope {

/// All combinations of the values of --vary, the last name fastest; a name without values has those that are proposed for
/// the source's constant. Throws WrongUsage for a name without values that is not a constant, for one that `chosen` has,
/// and for more than max_combinations.
std::vector<ValueCombination> tried_combinations(const TypedValues& vary,
                                                 const std::vector<OpenedConstant>& constants,
                                                 const std::map<std::string, std::string>& chosen);

/// A table of the points, and which has the lowest latency.
std::string tried_text(const std::vector<TriedPoint>& points, const std::string& device);

/// {"points": [...]}, each as `open --json` has it.
Json tried_document(const std::vector<TriedPoint>& points);

/// The exit code: check_failed where a point is faulty, cannot_run where none ran.
ExitCode exit_code_of_tried(const std::vector<TriedPoint>& points);

}  // namespace tilescope
