#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/execution/ptx/shared_uses.hpp"

namespace tilescope {

/// [B] of shared memory that accesses reach.
struct ReachedBytes {
  std::uint64_t first = 0, end = 0;
};

/// [B] Where arrays lie that follow each other in an order that is not known, each at a multiple of its alignment, and
/// that fill `total` bytes. `reached`: by array, the bytes that accesses to it reach; none without accesses. A place is
/// none where different orders put the array at different ones, and all are where no order fits.
std::vector<std::optional<std::uint64_t>> place_arrays(
    const std::vector<ptx::DeclaredSharedArray>& arrays,
    const std::vector<std::optional<ReachedBytes>>& reached, std::uint64_t total);

}  // namespace tilescope
