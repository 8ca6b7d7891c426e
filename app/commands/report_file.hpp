#pragma once

#include <filesystem>
#include <string>

namespace tilescope {

/// Replaces the file. Throws CannotRun, with the reason, where it cannot be written.
void write_report(const std::filesystem::path& file, const std::string& text);

}  // namespace tilescope
