#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "profiler/explanation/layouts/swizzle_solver.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "profiler/views/memory/recorded_block.hpp"

namespace tilescope {

/// All accesses of a recorded block to one tile.
struct TileTotals {
  std::uint64_t wavefronts = 0, excess = 0, executions = 0;
};
TileTotals totals_of(const RecordedBlock& block, const std::string& tile);

/// A tile of the recorded block for which layouts can be searched.
struct SearchedTile {
  std::string name;
  /// Wavefronts and excess of all the tile's accesses in the block.
  std::uint64_t wavefronts = 0, excess = 0;
  /// Whether the kernel declares its rows and columns.
  bool has_layout = false;
};

/// Result of the search, with the block that it is about.
struct FoundLayouts {
  std::shared_ptr<const RecordedBlock> block;
  /// Tiles with the most excess first.
  std::vector<SearchedTile> tiles;
  /// The solution for one of the tiles; nullptr if there is none or the pitch does not fit.
  std::shared_ptr<const SolvedTile> solved;
  /// Why `solved` is not there; "" where it is, or where there are no tiles.
  std::string why_not;
};

/// Which layouts of a block's tiles are searched.
struct LayoutQuestion {
  std::shared_ptr<const RecordedBlock> block;
  /// "" for the tile with the most excess.
  std::string tile;
  /// [B] From one row to the next, for tiles without a declared layout; 0: nothing is known, one row.
  std::int64_t pitch = 0;

  bool operator==(const LayoutQuestion&) const = default;
};

/// Judges the layouts of one tile. `kernel` and `device` are the block's.
FoundLayouts find_layouts(const LayoutQuestion& question, const KernelDeclaration& kernel,
                          const DeviceModel& device, const SolverControl& control = {});

}  // namespace tilescope
