#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/explanation/layouts/swizzle_solver.hpp"
#include "sessions/views/points/point_text.hpp"

/// The texts of the layouts that the solver ranked.
namespace tilescope {

/// One layout as a row of a table.
struct LayoutRow {
  enum class State { current, works, fails };
  State state = State::works;
  /// Into SolvedTile::layouts.
  std::size_t layout = 0;
  /// "1"; "" for one that fails.
  std::string rank;
  /// In full: "pad 32 B, swizzle 1 bit, base 4, shift 3".
  std::string words;
  /// In short: "pad 32 B, Swizzle<1, 4, 3>", "pad 32 B, XOR row / 2 % 4".
  std::string name;
  /// "4,224"; "" for one that fails, as the next two.
  std::string wavefronts, excess;
  /// Against the present layout: "7.8x fewer", "same", "1.5x more".
  std::string against;
  /// Bytes of this tile against the present layout: "+1,024 B", "0 B"; and of the block: "30,976 B".
  std::string padding, shared;
  /// Where the kernel has it the parameter's value: "padded"; "PADDING=8" where that is a number.
  std::string kernel_has;
  std::string reason;
};

struct LayoutTable {
  /// "64 x 64 elements of 2 B, rows 128 B apart."
  std::string tile;
  /// "4,224 accesses of this block take 32,896 wavefronts; the minimum is 4,224."
  std::string cost;
  /// "Now row-major: 51 of the 197 layouts that work take fewer wavefronts. Rows 128 B apart start in the same bank: ..."
  std::string present;
  /// Notes on differences between layouts that the figures do not show.
  std::vector<std::string> notes;
  std::vector<LayoutRow> rows;
  /// Whether LayoutRow::kernel_has is the last size of an array's declaration in a file, and not a parameter's value.
  bool has_sizes = false;
  /// Into rows: the present layout.
  std::size_t current = 0;
  /// How many of the rows work.
  std::size_t working = 0;
};

/// `other_tiles` share bytes with this one: see overlapping_tiles.
LayoutTable layout_table(const SolvedTile& solved, const std::vector<std::string>& other_tiles);

/// The sites of one operation on one line, with the present and with another layout: a loop that is unrolled has many.
struct LayoutSiteRow {
  /// The first of them, into BlockRecording::sites.
  std::uint32_t site = 0;
  /// "ld.shared", "line 128"
  std::string operation, place;
  std::string executions;
  /// "65,536 to 8,192", "256"; for a layout that fails the present ones.
  std::string wavefronts, excess;
  Tone tone = Tone::plain;
};

/// One layout in full.
struct LayoutDetail {
  std::string words;
  std::string reason;
  /// Sites with the most excess now first.
  std::vector<LayoutSiteRow> sites;
  /// "Swizzle<3, 4, 3> on bytes, Swizzle<3, 3, 3> on elements"; "" without a swizzle of the offset.
  std::string cutlass;
  /// See index_expression.
  std::string index;
  /// Unit of `index`: "in elements of 2 B from the start of the tile".
  std::string index_unit;
  /// "Block: 30,976 B of shared memory, 2,048 B more than now (other tiles change too)."
  std::string shared;
};
LayoutDetail layout_detail(const SolvedTile& solved, const BlockRecording& recording, std::size_t layout);

/// A line for each layout: rank, layout, CUTLASS's name, wavefronts, minimum, excess, padding [B], shared memory [B],
/// whether it is the present one, the kernel's parameters that have it, index expression, sentence.
std::string layout_csv(const SolvedTile& solved);

/// A layout that was applied: what the solver promised, and what was traced then.
struct AppliedLayout {
  /// "SMEM_LAYOUT=padded"
  std::string change;
  std::string tile;
  /// Wavefronts of the tile in the block; `traced` none until it is.
  std::uint64_t before = 0, promised = 0;
  std::optional<std::uint64_t> traced;
  /// [B] Shared memory of the block.
  std::int64_t shared_before = 0, shared_after = 0;
  bool has_other_accesses = false;
};
struct AppliedWords {
  /// "SMEM_LAYOUT=padded applied"
  std::string heading;
  /// "K: 32,896 wavefronts before, 4,224 promised, 4,224 traced. Block: 28,928 B of shared memory before, 30,976 B now."
  std::string text;
};
AppliedWords applied_words(const AppliedLayout& applied);

/// The names of other tiles that share bytes with this one: the trace cannot tell their accesses apart.
std::vector<std::string> overlapping_tiles(const TileRange& tile, const std::vector<TileRange>& tiles);

}  // namespace tilescope
