#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "profiler/service/requests/step.hpp"

/// The plane S = Q K^T of one head as the block that is stepped goes through it: from the trace, not from a drawing of
/// how the kernel should work, so that a kernel with a fault shows the fault.
namespace tilescope {

/// Rows or keys that follow each other.
struct IndexRange {
  std::int64_t first = 0, count = 0;

  std::int64_t end() const { return first + count; }
  std::int64_t last() const { return first + count - 1; }
  bool operator==(const IndexRange&) const = default;
};
/// "rows 0 to 63", "row 5"
std::string range_words(const std::string& noun, IndexRange range);

/// Facts about the stepped block that a stop does not hold.
struct TilesSubject {
  Shape shape;
  /// The kernel's parameters BLOCK_M and BLOCK_N; 0 for a kernel without such a parameter.
  std::int64_t block_m = 0, block_n = 0;
  /// Whether blocks that follow each other along x share a query tile, see KernelDeclaration::block_group.
  bool has_groups = false;
  /// Whether the declared grid is query tiles by heads by batches, in this order whatever the shape.
  bool has_plain_grid = false;
  /// Linear.
  std::uint64_t block = 0;
  /// The rows that the block's probes name, ascending; none where they are not known.
  std::vector<std::int64_t> probed_rows;
  /// TilesPlane::found_rows of an earlier stop of the same block.
  std::optional<IndexRange> seen_rows = std::nullopt;

  bool operator==(const TilesSubject&) const = default;
};
TilesSubject tiles_subject(const KernelDeclaration& kernel, const Experiment& experiment,
                           std::uint64_t block);

/// A tile of scores.
struct TileCell {
  enum class State {
    /// Begun, and a later tile was begun since.
    done,
    /// The newest tile of the block.
    now,
    /// Begun before, and the block comes back to it.
    comes_again,
    not_yet,
    /// The causal mask hides all of it, and the block never begins it.
    skipped,
    /// The block never begins it, though the mask does not hide all of it.
    unvisited,
    unknown,
  };
  State state = State::unknown;
  /// Not of the stepped block: what it would be if all blocks had started together and each tile took as long; once the
  /// stepped block has ended, as if all had.
  bool is_assumed = false;
  /// Whether the causal mask hides all of it, or some.
  bool is_hidden = false, is_on_edge = false;
  /// The tiles of the block that cover it, counted from 1 as in StepTarget.
  std::vector<std::int64_t> visits;

  bool operator==(const TileCell&) const = default;
};

struct TilesPlane {
  /// At most max_rows query tiles around the block's, and max_keys key tiles around the newest.
  static constexpr std::size_t max_rows = 128, max_keys = 128;
  std::vector<IndexRange> rows, keys;
  /// [rows * keys]
  std::vector<TileCell> cells;
  /// For each query tile the block that computes it, of the same head, or the first of several; none where the grid does
  /// not say.
  std::vector<std::optional<std::uint64_t>> blocks;
  /// The block's row, into `rows`; none where nothing says which rows it has.
  std::optional<std::size_t> row;
  /// Into `keys`: where the newest tile begins.
  std::optional<std::size_t> key;
  /// How that is known: "Query rows 0 to 63: found in shared memory".
  std::string rows_from;
  /// Rows of Q in shared memory at this stop, first to last.
  std::optional<IndexRange> found_rows;
  /// "head 3", "batch 0, head 3"; "" where the grid does not say.
  std::string head;
  /// "Tiles: named by the kernel's probes."
  std::string tiles_from;
  /// Keys of the done tiles in the block's whole row, drawn or not, and whether no tile is left.
  std::int64_t done_keys = 0;
  bool is_finished = false;
  /// With a causal mask row r sees keys up to r + mask_shift.
  std::int64_t mask_shift = 0;
  /// Whether other rows are drawn as assumed.
  bool has_assumed = false;
  /// Notes on unusual tiles: beyond the keys, hidden by the mask, left out, or not drawn.
  std::vector<std::string> notes;

  const TileCell& at(std::size_t row_index, std::size_t key_index) const {
    return cells[row_index * keys.size() + key_index];
  }
  bool operator==(const TilesPlane&) const = default;
};
/// `timeline` must be of the same block as the stop; nullptr while it is awaited: then no tile is known.
TilesPlane tiles_plane(const TilesSubject& subject, const StepStop& stop, const StepTimeline* timeline);

/// "Done", "Not yet"
std::string state_words(TileCell::State state);
/// Lines for a tooltip over a cell, and what a click does; "" where it does nothing.
std::vector<std::string> cell_words(const TilesPlane& plane, std::size_t row, std::size_t key);
std::string cell_hint(const TilesPlane& plane, std::size_t row, std::size_t key);
/// The first tile of a cell that has not begun, else its first; 0 for none.
std::int64_t tile_to_go_to(const TileCell& cell, std::int64_t newest);

/// Last key that a query row sees, -1 for none.
std::int64_t last_visible_key(const Shape& shape, std::int64_t row);

}  // namespace tilescope
