#pragma once

#include <filesystem>
#include <string_view>

namespace tilescope {

/// Writes a file of the cache, with its folder, so that another process sees all of it or none.
/// False when it cannot be written; the cache is then as before, and the caller goes on without it.
bool write_cache_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace tilescope
