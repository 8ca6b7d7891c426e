#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "profiler/execution/simt/program.hpp"

/// How a cp.async past L1 moves its data: the rule of past_l1_cost, for all that count or show it.
namespace tilescope {

/// Chunks of 16 B that move in the same way: from one line of 128 B to one turn through the banks, as whole sectors or
/// as halves, which keep or change their place in the sector.
struct LineMoves {
  std::uint64_t line = 0, turn = 0;
  /// 0 to 3: 2 * the source's half + the target's; 4: whole sectors; 5: whole sectors whose halves change places.
  unsigned kind = 0;
  /// The bit 4 * source + target for each sector, by its place in the line and in the turn.
  std::uint16_t sectors = 0;
  simt::LaneMask lanes = 0;
};

class PastL1 {
 public:
  /// `addresses` are offsets in shared memory, `source_addresses` global addresses, both one per lane. [B] `lanes` are
  /// those that read.
  PastL1(const std::uint64_t* addresses, const std::uint64_t* source_addresses, simt::LaneMask lanes);
  std::span<const LineMoves> moves() const { return {moves_.data(), used_}; }

 private:
  LineMoves& find(std::uint64_t line, std::uint64_t turn, unsigned kind);

  std::array<LineMoves, simt::lane_count> moves_;
  std::size_t used_ = 0;
};

/// A wavefront moves the sectors of one diagonal: with one difference (0 to 3) or one sum (4 to 7) of target and source
/// modulo 4. The fewest diagonals that move all these sectors, a bit for each.
unsigned fewest_diagonals(std::uint16_t sectors);
bool is_on_diagonal(unsigned diagonal, unsigned source, unsigned target);

/// A pass over lanes of one quarter of a warp in which some lanes of a copy write zeros.
struct FillPass {
  std::uint32_t wavefronts = 0;
  /// The wavefront of each lane, from 0.
  std::array<std::uint32_t, simt::lane_count> of_lane{};
};
/// `addresses`, `source_addresses` as above; `reading` are the lanes that read.
FillPass fill_pass(const std::uint64_t* addresses, const std::uint64_t* source_addresses,
                   simt::LaneMask lanes, simt::LaneMask reading);

/// Calls `visit` with the lanes of each such pass: none when all lanes read.
template <class Visit>
void for_each_fill_pass(simt::LaneMask lanes, simt::LaneMask reading, Visit visit) {
  constexpr int quarter = simt::lane_count / 4;
  if ((lanes & ~reading) == 0) return;
  for (int first = 0; first < simt::lane_count; first += quarter) {
    const simt::LaneMask in_pass = simt::all_lanes >> (simt::lane_count - quarter) << first & lanes;
    if (in_pass != 0) visit(in_pass);
  }
}

/// Where a chunk comes from and goes to: the sector of the line and of the turn, 0 to 3.
unsigned sector_in_line(std::uint64_t address);

}  // namespace tilescope
