#pragma once

#include <cstdint>

#include "profiler/execution/simt/observer.hpp"
#include "profiler/execution/simt/program.hpp"

/// The cost of one access of a warp to shared memory. There are 32 banks of 4 B; a wavefront moves one word of each
/// bank.
namespace tilescope {

/// All in wavefronts.
struct SharedCost {
  std::uint32_t wavefronts = 0;
  /// The passes, one wavefront each: the minimum for these lanes and this width.
  std::uint32_t minimum = 0;
  /// The most wavefronts of one pass; 1 is free of conflicts.
  std::uint32_t degree = 0;

  bool operator==(const SharedCost&) const = default;
};

/// A warp's access is made in passes of at most 128 B. A pass takes as many wavefronts as the most *distinct* words
/// that it accesses in one bank:
///
/// - up to 4 B a lane: one pass of the whole warp;
/// - 8 B: a pass for each half of the warp, 16 B: for each quarter;
/// - for loads, two neighbouring passes of one half of the warp (of the whole warp with 8 B) become one when every
///   active lane n in them has the address of lane n^1, or every one the address of lane n^2, as far as those are
///   active (NVIDIA staff on the developer forum, thread 77228: the requests of an LDS.128 go from four to two, never
///   to one), and no two need different words of a bank. Where words meet, they are one if the whole warp's lanes agree
///   so and the two take as many wavefronts apart: this decides how many of these count as conflicts;
/// - loads of 16 B by lanes 0 to 15 alone become one pass, if no words meet, without neighbours that agree, and those by
///   at most 16 lanes with one address are always one;
/// - ldmatrix and stmatrix: a pass for each 8x8 matrix, which is 8 rows of 16 B;
/// - cp.async through L1 (.ca) writes like a store of its width;
/// - atomics: lanes on one word are serialised, so that every lane counts, not only distinct words; but not for
///   ATOMS.POPC.INC, which adds their number at once.
///
/// NVIDIA does not document these conditions of merging; they were inferred from an H200's counts
/// (profiler/execution/ptx/tests/hardware). There they give its number for every load of 8 B, and of 16 B by all lanes or by lanes
/// of one half. Of 170 loads of 16 B by some lanes of both halves 18 differ by one wavefront or two: that rule is unknown.
///
/// Passes without an active lane cost nothing. `addresses` are offsets in shared memory [B], aligned to the lane's
/// bytes or to 4 B, whichever is less; `lane_bytes` is 1 to 16. The cost stays the same when all addresses move by a
/// multiple of 4 B.
SharedCost shared_cost(simt::Access access, const std::uint64_t* addresses, simt::LaneMask lanes,
                       int lane_bytes);

/// The cost of a cp.async past L1 (.cg, 16 B per lane). Its data come from L2 in sectors of 32 B. A wavefront moves
/// sectors of one 128-byte line of global memory into one turn of 128 B through the banks, all with the same sum or all
/// with the same difference of their places in the line and in the turn, modulo 4: unchanged, rotated or mirrored.
/// Sectors whose halves change places take wavefronts of their own, by the same rule among them. Half sectors whose other
/// half goes elsewhere take wavefronts of their own, by the same rule among those that leave and reach the same half. So
/// an instruction on rows of 128 B takes 4 wavefronts at a distance of 128 B, swizzled or not, and 10.5 at a distance of
/// 144 B, where every second row cuts its sectors in two; half rows of 64 B, which are lines of their own, take 8.
///
/// Where only the lanes of `reading`, which must not be empty, read and others of `lanes` copy zeros, the reading lanes
/// cost this, and all lanes write in addition like a store of 16 B, a pass for each quarter of the warp: lanes of a pass
/// that read different words of one bank, by their addresses in global memory modulo 128, take turns there too. So a
/// warp that reads and writes 512 B in a row takes 4 wavefronts, and 6 when its upper half copies zeros.
///
/// NVIDIA does not document this cost; the rule was inferred from measurements. It gives the wavefronts that an H200
/// counts in all 186 patterns in which no two lanes write one place, in 203 of 205 with lanes that copy zeros (the other
/// two, off by at most 2, meet in banks on both sides), and in every kernel compared but for what the profiler does not
/// see (profiler/execution/ptx/tests/hardware, profiler/execution/sass/tests/hardware). The minimum is the passes of a store of 16 B, or the
/// lines that are read if these are more, and the passes that write zeros. The profiler's counter of bank conflicts does
/// not include the wavefronts beyond it.
SharedCost past_l1_cost(const std::uint64_t* addresses, const std::uint64_t* source_addresses,
                        simt::LaneMask lanes, simt::LaneMask reading);

/// Whether past_l1_cost is the rule for an access.
bool is_past_l1(int lane_bytes, bool has_source_addresses);

/// The cost of an access to shared memory that an observer gets.
SharedCost shared_cost(const simt::MemoryAccess& access);

}  // namespace tilescope
