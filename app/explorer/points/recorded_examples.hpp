#pragma once

#include <filesystem>
#include <vector>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

/// The .json files of a folder by name; none when it cannot be read.
std::vector<std::filesystem::path> list_json_files(const std::filesystem::path& folder);

/// The recorded session to offer with a kernel: the kernel's own, else one of the same kind, else the first.
/// `files` must not be empty.
const std::filesystem::path& example_for(const std::vector<std::filesystem::path>& files,
                                         const KernelDeclaration& kernel);

}  // namespace tilescope
