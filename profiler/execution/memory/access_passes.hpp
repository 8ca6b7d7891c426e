#pragma once

#include <cstdint>
#include <vector>

#include "profiler/execution/memory/bank_conflicts.hpp"
#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/execution/memory/sectors.hpp"

/// One access of a warp in full, for panels that show it: which lanes meet in which bank, or use which
/// sector, as shared_cost, past_l1_cost and sector_cost count.
namespace tilescope {

/// A word of 4 B in shared memory that lanes of one pass access.
struct BankWord {
  /// address / 4
  std::uint64_t word = 0;
  std::uint32_t bank = 0;
  /// Number of the pass in which it moves, from 0. Words of one bank take different ones.
  std::uint32_t wavefront = 0;
  /// One lane for an atomic, where lanes on one word take turns.
  simt::LaneMask lanes = 0;

  bool operator==(const BankWord&) const = default;
};

/// Lanes that shared memory serves together; for a cp.async past L1 those that read one line of global memory.
struct AccessPass {
  simt::LaneMask lanes = 0;
  std::uint32_t wavefronts = 0;
  /// By bank and wavefront.
  std::vector<BankWord> words;
  /// Lanes that use a bank in which the pass moves several words; past L1 all lanes of a line with several wavefronts.
  simt::LaneMask colliding = 0;
  /// Lanes with a word that another lane of the pass uses too, so that it moves once for both.
  simt::LaneMask sharing = 0;
  /// [B] The line of global memory; only past L1.
  std::uint64_t source_line = 0;
  /// Past L1, a pass over lanes of a quarter of the warp, in which zeros are written, instead of a line.
  bool is_fill = false;
};

struct SharedPasses {
  std::vector<AccessPass> passes;
  /// The sum over the passes.
  SharedCost cost;
  bool is_past_l1 = false;
  /// Pairs of passes became one each, because lanes n and n^1, or n and n^2, have one address where both are active.
  bool are_merged = false;
};
/// As in shared_cost.
SharedPasses shared_passes(simt::Access access, const std::uint64_t* addresses, simt::LaneMask lanes,
                           int lane_bytes);
/// As in past_l1_cost. The division into wavefronts is one of those with the fewest.
SharedPasses past_l1_passes(const std::uint64_t* addresses, const std::uint64_t* source_addresses,
                            simt::LaneMask lanes, simt::LaneMask reading);
/// Passes of a recorded access to shared memory.
SharedPasses shared_passes(const BlockRecording& recording, const RecordedAccess& access);

/// 32 B of global memory that lanes touch.
struct UsedSector {
  /// [B] Address of its first byte, a multiple of 32.
  std::uint64_t address = 0;
  simt::LaneMask lanes = 0;
  /// A bit for each byte that a lane uses.
  std::uint32_t bytes = 0;

  bool operator==(const UsedSector&) const = default;
};

struct SectorUse {
  /// By address.
  std::vector<UsedSector> sectors;
  SectorCost cost;
};
/// As in sector_cost.
SectorUse sector_use(const std::uint64_t* addresses, simt::LaneMask lanes, int lane_bytes);
/// Sectors of a recorded access to global memory.
SectorUse sector_use(const BlockRecording& recording, const RecordedAccess& access);

}  // namespace tilescope
