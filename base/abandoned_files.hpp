#pragma once

#include <filesystem>

namespace tilescope {

/// Removes the temporary files (.NAME.PROCESS-NUMBER.tmp) that programs left in a folder when they were killed: their
/// process has ended, or they are older than an hour. It lists the folder: call it before a first write, not each.
void remove_abandoned_files_in(const std::filesystem::path& folder);

}  // namespace tilescope
