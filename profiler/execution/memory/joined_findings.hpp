#pragma once

#include <string_view>
#include <vector>

#include "profiler/execution/memory/finding_log.hpp"

namespace tilescope {

struct ToldFinding {
  const FindingLog::Entry* entry = nullptr;
  Finding finding;
};

/// One finding for each cause. Races that one barrier would end become one, which counts the others; an uninitialised
/// read and a store of the same value that a race explains are left out.
std::vector<Finding> joined_findings(const simt::Program& program, const std::vector<ToldFinding>& told,
                                     std::string_view main_file);

}  // namespace tilescope
