#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilescope {

/// Options as one word each, "-Iinclude" for "-I", "include", where both compilers take that, with absolute folders.
std::vector<std::string> joined_options(const std::vector<std::string>& options,
                                        const std::filesystem::path& folder);

/// The folders of joined -I options.
std::vector<std::filesystem::path> include_folders(const std::vector<std::string>& joined);

}  // namespace tilescope
