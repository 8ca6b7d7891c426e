#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "profiler/kernels/containers/found_code.hpp"

namespace tilescope {

/// How far a folder is looked through.
inline constexpr int max_folder_depth = 5;
inline constexpr std::size_t max_folder_files = 50'000;

/// The regular files below a folder with one of these extensions (".cubin"), by their path. Links are not followed.
/// `is_complete` becomes false beyond the limits. Throws SearchCancelled.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder,
                                               const std::vector<std::string>& extensions, bool& is_complete,
                                               const std::function<bool()>& cancelled);

/// Reads the .json files that Triton writes below a folder beside a kernel's .cubin and .ptx, with the IR there, the newest
/// first. Files that cannot be read, and those for GPUs of other makers, are left out with a note.
std::vector<TritonEntry> read_triton_entries(const std::filesystem::path& folder,
                                             const std::vector<std::filesystem::path>& json_files,
                                             std::vector<std::string>& notes);

}  // namespace tilescope
