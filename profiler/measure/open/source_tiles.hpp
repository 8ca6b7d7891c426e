#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/execution/simt/program.hpp"
#include "profiler/measure/open/opened_codes.hpp"
#include "profiler/service/requests/source_tile.hpp"

namespace tilescope {

/// The kernel's arrays in shared memory that its sources declare with sizes that fit what the code has, in the order of
/// Program::shared_symbols. `chosen`: the user's values by name.
std::vector<SourceTile> source_tiles(const OpenedCodes& opened, const std::string& entry,
                                     const std::map<std::string, std::string>& chosen,
                                     const simt::Program& program);

}  // namespace tilescope
