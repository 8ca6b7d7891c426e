#pragma once

#include <vector>

#include "profiler/service/requests/source_tile.hpp"
#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

/// Divides the shared memory of a file's block, which no declaration describes, into tiles: its arrays by name, with rows
/// and columns where the source declares them, and what lies outside of them by the ranges of bytes that instructions
/// reach. Renames sites accordingly. Before sum_up().
void divide_file_memory(const std::vector<SourceTile>& source_tiles, RecordedBlock& recorded);

/// The columns that accesses of the block reach where the last ones of every row are padding; else all of them. `tile` has
/// rows.
std::int64_t columns_in_use(const SourceTile& tile, const BlockRecording& recording);

}  // namespace tilescope
