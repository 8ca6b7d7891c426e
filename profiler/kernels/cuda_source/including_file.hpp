#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tilescope {

/// The file that launches kernels of `file`, which it includes, directly or through headers; else, where `needs_launch` is
/// false, a .cu or .cpp file that includes it. Files in the folder of `file` and in the one above it are looked at, up to 300
/// of up to 1 MiB, through up to three includes. `kernels`: names as SourceKernel::name.
std::optional<std::filesystem::path> including_file(const std::filesystem::path& file,
                                                    const std::vector<std::string>& kernels,
                                                    bool needs_launch);

}  // namespace tilescope
