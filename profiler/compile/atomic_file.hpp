#pragma once

#include <filesystem>
#include <string_view>

namespace tilescope {

/// Writes a file of the cache so that another process sees all of it or none: a temporary file beside it, renamed.
/// False when it cannot be written; the cache is then as before.
bool write_atomically(const std::filesystem::path& file, std::string_view bytes);

}  // namespace tilescope
