#pragma once

#include <cstdint>

#include "profiler/execution/simt/program.hpp"

/// The cost of one access of a warp to global memory: one request, for sectors of 32 B.
namespace tilescope {

inline constexpr std::uint64_t sector_bytes = 32;  // [B]; four of them are a line of 128 B

struct SectorCost {
  /// The distinct sectors that the lanes touch.
  std::uint32_t sectors = 0;
  /// The fewest sectors that could hold the distinct bytes of the lanes.
  std::uint32_t minimum = 0;

  bool operator==(const SectorCost&) const = default;
};

/// `addresses` [B] may have any value; `lane_bytes` is 1 to 32. The cost does not change when all addresses move by a
/// multiple of 32 B.
SectorCost sector_cost(const std::uint64_t* addresses, simt::LaneMask lanes, int lane_bytes);

/// Cost of an access to local memory, whose 4-byte words the GPU interleaves: word w of lane l lies at (32 w + l) * 4, so
/// that lanes at one index touch one line. `addresses` [B] count from the start of each lane's local memory. Source of
/// the layout: CUDA C++ Programming Guide, "Local Memory".
SectorCost local_sector_cost(const std::uint64_t* addresses, simt::LaneMask lanes, int lane_bytes);

}  // namespace tilescope
