#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/explanation/layouts/kernel_layouts.hpp"
#include "profiler/explanation/layouts/layout_cost.hpp"

namespace tilescope {

/// A tile of a recorded block, and what is known about it.
struct SolverQuestion {
  /// With its offset from the start of the block's shared memory.
  TileRange tile;
  TileElements elements;
  /// Whether rows and columns are declared; else they are bytes, by the user's pitch or in one row.
  bool is_declared = false;
  /// Whether the rows are the distances between lanes (lane_distances()): nothing declares them.
  bool has_rows_of_lanes = false;
  /// Whether index expressions count elements though none are declared; else bytes.
  bool counts_elements = false;
  /// See kernel_layouts. If two have the same places, the first is preferred.
  std::vector<KernelLayout> kernel_layouts;
  /// [B] of the block
  std::int64_t shared_bytes = 0;
  /// [B] The most that a block has on the device; 0 where it is not known.
  std::int64_t max_shared_bytes = 0;
};

/// A layout that the kernel has, with what the tile's accesses then cost.
struct OfferedLayout {
  /// Into SolverQuestion::kernel_layouts.
  std::size_t layout = 0;
  /// With the tile where that configuration puts it, which copies past L1 may notice.
  std::uint64_t wavefronts = 0;
};

/// One layout and what the accesses of the recorded block would cost with it.
struct RankedLayout {
  /// None: places that are none of the candidates', the kernel's own.
  std::optional<CandidateLayout> layout;
  /// "pad 16 B", "swizzle 3 bits, base 4, shift 3"; for one of the kernel's own layouts "SMEM_LAYOUT=xor_swizzle".
  std::string words;
  /// "Swizzle<3, 4, 3>" on bytes; "" for others.
  std::string cutlass;
  /// See index_expression; "" where there is none.
  std::string index;
  /// Whether every access stays whole and aligned, and the block fits the device.
  bool works = false;
  /// Why it works or fails, a sentence.
  std::string reason;
  /// Zeros for a layout that does not work.
  LayoutCost cost;
  /// [B] Memory that the tile takes beyond its elements: behind the rows, and behind a swizzle that reaches
  /// over the end.
  std::int64_t padding_bytes = 0;
  bool is_current = false;
  /// The kernel's own layouts with these places; the first is what to apply.
  std::vector<OfferedLayout> offered;
};

struct SolvedTile {
  TileRange tile;
  TileShape shape;
  /// As in SolverQuestion.
  bool is_declared = false, has_rows_of_lanes = false, counts_elements = false;
  std::vector<KernelLayout> kernel_layouts;
  std::int64_t shared_bytes = 0;
  std::int64_t max_shared_bytes = 0;
  TileAccesses accesses;
  /// The best first: by wavefronts, padding, simplicity; those that do not work last.
  std::vector<RankedLayout> layouts;
  /// Into `layouts`.
  std::size_t current = 0;

  /// [B] of the block with another layout: of this tile alone, but where the kernel has it as the kernel declares it. A
  /// parameter may change other tiles too.
  std::int64_t shared_bytes_with(const RankedLayout& layout) const {
    return layout.offered.empty() ? shared_bytes - layouts[current].padding_bytes + layout.padding_bytes
                                  : kernel_layouts[layout.offered.front().layout].shared_bytes;
  }
  /// Whether the kernel's parameter that has this layout makes other tiles larger or smaller too.
  bool changes_other_tiles(const RankedLayout& layout) const {
    if (layout.offered.empty()) return false;
    const KernelLayout& there = kernel_layouts[layout.offered.front().layout];
    return there.shared_bytes - shared_bytes != there.tile.bytes - tile.bytes;
  }
};

/// For a search that takes long. Both may be called from the thread that solves.
struct SolverControl {
  std::function<bool()> cancelled = [] { return false; };
  /// Layouts judged, and how many there are.
  std::function<void(std::size_t, std::size_t)> progress = [](std::size_t, std::size_t) {};
};

/// Judges all candidate layouts of a tile by all of its accesses in the block. nullptr when it was cancelled.
std::shared_ptr<const SolvedTile> solve_layouts(const BlockRecording& recording, SolverQuestion question,
                                                const SolverControl& control = {});

}  // namespace tilescope
