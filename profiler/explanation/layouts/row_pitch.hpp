#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"

namespace tilescope {

/// [B] Distances between lanes of conflicting accesses that are the same throughout an access: what may be the rows of a
/// tile of which none are declared. Those with the most excess first, three at most; empty without conflicts.
std::vector<std::int64_t> lane_distances(const BlockRecording& recording, const TileRange& tile);

}  // namespace tilescope
