#pragma once

#include <filesystem>
#include <vector>

#include "profiler/explanation/model/bench/set_report.hpp"

namespace tilescope::model {

/// Prints the largest stall reason of each case as it is predicted and as Nsight Compute measured it, and how many agree.
/// `table`: a row for each case, its columns case, kernel and the reasons with their warps for each issued instruction.
/// A warp that is ready and not selected is not stalled. Throws std::runtime_error where the table cannot be read.
void print_stalls(const std::vector<JudgedCase>& cases, const std::filesystem::path& table);

}  // namespace tilescope::model
