#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiler/views/step/tiles_plane.hpp"

/// Which rows of Q, K and V lie in shared memory at a stop. They are found by comparing bytes, so that a row that the
/// kernel copied to the wrong place, or not yet, is seen.
namespace tilescope {

/// Rows of a declared tile that follow each other and hold the same kind of thing.
struct HeldRange {
  enum class Kind {
    /// Rows of a tensor that follow each other in the sequence.
    tensor,
    /// Written, but no row of Q, K or V.
    other,
    unwritten,
  };
  Kind kind = Kind::other;
  /// "Q", "K" or "V"; "" for the other kinds.
  std::string tensor;
  /// In the sequence.
  IndexRange rows;
  std::string tile;
  /// In the tile.
  IndexRange tile_rows;
  /// -1 where the tile has one stage.
  std::int64_t stage = -1;
  /// Whether it is not all of its tile, or not all of the stage.
  bool is_partial = false;

  bool operator==(const HeldRange&) const = default;
};

/// In the order of the tiles in shared memory. `keys_of_a_tile` [rows] divides a tile into its stages; 0 for none.
std::vector<HeldRange> held_ranges(const StepStop& stop, std::int64_t keys_of_a_tile);

/// "K rows 128 to 191 in tile K 1, stage 1, partly"; "Tile O: no row of Q, K or V"; "Tile V 0, rows 16 to 63: unwritten"
std::string held_words(const HeldRange& range);
/// Ranges of one tensor.
std::vector<HeldRange> held_of(const std::vector<HeldRange>& ranges, const std::string& tensor);

/// Contents of a tile, or of a stage of it, as lines for a list.
struct HeldLine {
  std::string text;
  /// Kind of the line's rows: whether some are rows of a tensor, and not all of the tile.
  bool is_tensor = false, is_partial = false;
  std::int64_t stage = -1;

  bool operator==(const HeldLine&) const = default;
};
/// One for each range; where a tile is in more than three pieces, as while warps fill it, one for all of them: "Tile K:
/// K rows 0, 4, 8 ... 60 (16 of 64), 48 rows unwritten".
std::vector<HeldLine> held_lines(const std::vector<HeldRange>& ranges);

}  // namespace tilescope
