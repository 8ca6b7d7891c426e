#pragma once

#include <string>
#include <vector>

#include "profiler/service/requests/open_file.hpp"

namespace tilescope {

/// A table of a file's kernels for the terminal, a row each, with spills and loops below it. `device`: the name of the one
/// that the occupancy is for.
std::string kernel_table_text(const std::vector<OpenedKernel>& kernels, const std::string& device);

/// Values that had to be guessed for a launch, with the reasons; "" where nothing was.
std::string guesses_text(const std::vector<LaunchGuess>& guesses);

/// Constants of the source that can be compiled in with another value; "" for none.
std::string constants_text(const std::vector<OpenedConstant>& constants);

}  // namespace tilescope
