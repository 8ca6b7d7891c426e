#pragma once

#include <cstdint>

#include "profiler/ptx/observer.hpp"
#include "profiler/ptx/program.hpp"

/// What one access of a warp to shared memory costs. 32 banks of 4 B; a wavefront moves one word of each bank.
namespace tilescope {

/// All in wavefronts.
struct SharedCost {
  std::uint32_t wavefronts = 0;
  std::uint32_t minimum = 0;  ///< The passes, one wavefront each: the fewest for these lanes and this width.
  std::uint32_t degree = 0;   ///< The most that one pass takes; 1 is free of conflicts.

  bool operator==(const SharedCost&) const = default;
};

/// A warp's access is made in passes of at most 128 B, and a pass takes as many wavefronts as the bank with the most
/// *distinct* words that are asked of it:
///
/// - up to 4 B a lane: one pass of the whole warp;
/// - 8 B: a pass for each half of the warp, 16 B: for each quarter;
/// - of loads, two neighbouring passes become one when every active lane n has the address of lane n^1, or every one
///   that of lane n^2, as far as those are active (NVIDIA staff on the developer forum, thread 77228: the requests of
///   an LDS.128 go from four to two, never to one);
/// - ldmatrix and stmatrix: a pass for each 8x8 matrix, which is 8 rows of 16 B;
/// - cp.async writes like a store of its width;
/// - atomics: lanes on one word follow each other, so that every lane counts and not only distinct words.
///
/// Passes without an active lane cost nothing. `addresses` are offsets in shared memory [B], aligned to the lane's bytes
/// or to 4 B, whichever is less; `lane_bytes` is 1 to 16. The cost stays the same when all addresses move by a multiple
/// of 4 B.
SharedCost shared_cost(ptx::Access access, const std::uint64_t* addresses, ptx::LaneMask lanes,
                       int lane_bytes);

}  // namespace tilescope
