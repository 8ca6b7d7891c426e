#pragma once

#include <string>
#include <vector>

#include "profiler/explanation/tries/layout_answers.hpp"
#include "profiler/service/client/client.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// For the kernel of a file with bank conflicts, the layouts that the solver finds for the arrays of its first block. A
/// padding of an array that the opened file declares is compiled and counted. Empty without a diagnosis of bank conflicts.
std::vector<LayoutAnswer> solve_file_conflicts(Client& client, const OpenedPoint& point,
                                               const OpenFile::Params& opened);

/// The layouts under a heading, with how to compile a padding; "" for none.
std::string file_layouts_section(const std::vector<LayoutAnswer>& answers);

}  // namespace tilescope
