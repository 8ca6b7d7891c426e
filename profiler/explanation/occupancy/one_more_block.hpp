#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/explanation/occupancy/block_needs.hpp"

namespace tilescope {

/// One quantity of the block, as it is and as it would have to be.
struct BlockChange {
  BlockQuantity quantity = BlockQuantity::registers;
  std::int64_t from = 0;
  std::int64_t to = 0;
};

/// The smallest change that lets more blocks reside on an SM.
struct BlockSaving {
  /// One quantity, or registers and shared memory together where neither alone is enough.
  std::vector<BlockChange> changes;
  /// Occupancy of the changed block.
  Occupancy occupancy;
};

/// Changes that let the next higher number of blocks reside on an SM, found by asking the toolkit's
/// calculator.
struct OneMoreBlock {
  Occupancy now;
  /// Registers alone, shared memory alone, both together, threads alone: those that are possible, in this order.
  std::vector<BlockSaving> savings;
  /// Why a quantity alone does not help, a sentence for each that does not.
  std::vector<std::string> refusals;
  /// Why nothing helps, a sentence; "" where something does. Then there are no savings and no refusals.
  std::string impossible;
};
OneMoreBlock one_more_block(const DeviceModel& device, const BlockNeeds& needs);

/// A line of the table of savings, all as text.
struct SavingRow {
  /// "registers per thread"
  std::string what;
  /// "72", of two quantities both: "72; 57,376 B"
  std::string from;
  std::string to;
  /// Amount saved: "8", "7,200 B"
  std::string save;
  std::string blocks;
  std::string warps;
  /// "37.5 %"
  std::string occupancy;
};
/// The block as it is, then each saving.
std::vector<SavingRow> saving_rows(const OneMoreBlock& next);

/// The table in a sentence: "One more block per SM: save 8 registers per thread (72 to 64), or 7,200 B ...". Fewer
/// threads are left out: they change the work of a block.
std::string one_more_sentence(const OneMoreBlock& next);

/// A line for each saving, and one for each refusal.
std::string one_more_csv(const OneMoreBlock& next);

}  // namespace tilescope
