#pragma once

#include <cstdint>
#include <string>

#include "profiler/service/requests/source_tile.hpp"

namespace tilescope {

/// "[TILE + 1]": its last size with `added` columns.
std::string size_words(const SourceTile& tile, std::int64_t added);
/// "float tile[TILE][TILE]": as the source declares it, with `added` columns: "float tile[TILE][TILE + 1]".
std::string declaration_words(const SourceTile& tile, std::int64_t added = 0);

}  // namespace tilescope
