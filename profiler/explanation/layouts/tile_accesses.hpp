#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/explanation/layouts/candidate_layout.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"

/// The accesses of a recorded block to one tile, by the elements that they move instead of by address: what stays the
/// same when the tile gets another layout.
namespace tilescope {

/// Which elements a tile has and where they lie now.
struct TileElements {
  TileShape shape;
  /// [B] from the start of the tile, row by row.
  std::vector<std::uint32_t> places;
};
/// Elements of a tile with a declared layout.
TileElements elements_of(const TileLayout& layout);
/// Elements of a tile without one: rows of `pitch` bytes, the last one perhaps cut short by the tile's end. Throws
/// std::invalid_argument for a pitch below 1 or that elements of `element_bytes` do not fill.
TileElements elements_by_pitch(std::int64_t bytes, std::int64_t pitch, std::int64_t element_bytes);
/// Elements of a tile of which nothing is known: one row.
TileElements elements_in_line(std::int64_t bytes, std::int64_t element_bytes);

/// [B] The greatest power of two, up to 16, that divides the width of every access to the tile and its distance from
/// the start of the tile: what can be taken as an element where none is declared.
std::int64_t common_element_bytes(const BlockRecording& recording, const TileRange& tile);

/// Executions of one instruction that move the same elements between the same lanes. Their cost is the same under any
/// layout.
struct TileAccess {
  /// Into BlockRecording::sites.
  std::uint32_t site = 0;
  simt::Access access = simt::Access::load;
  /// [B]
  std::uint8_t lane_bytes = 0;
  /// All lanes of the access.
  std::uint32_t lanes = 0;
  /// Lanes outside the tile, or on bytes between elements: their addresses stay.
  std::uint32_t fixed_lanes = 0;
  /// Into TileElements::places, for lanes that are not fixed.
  std::array<std::uint32_t, 32> elements{};
  /// [B] Offset of a lane's address from its element's place; for fixed lanes the whole address.
  std::array<std::uint64_t, 32> offsets{};
  /// [B] Addresses that a cp.async past L1 reads; else empty.
  std::vector<std::uint64_t> source_addresses;
  /// With source_addresses: the lanes that read. The others copy zeros.
  std::uint32_t source_lanes = 0;
  std::uint64_t executions = 0;
};

/// Bytes that one lane moves at once: they must stay together, in their order and aligned to their width.
struct TileRun {
  /// Number of the first byte's element; into TileElements::places.
  std::uint32_t element = 0;
  /// [B] within that element
  std::uint32_t byte = 0;
  /// [B]
  std::uint32_t bytes = 0;
  /// The first site that moves it, into BlockRecording::sites.
  std::uint32_t site = 0;
};

struct TileAccesses {
  /// [B] of the tile, from the start of the block's shared memory
  std::uint64_t base = 0;
  std::vector<TileAccess> accesses;
  std::vector<TileRun> runs;
  /// The sites of this tile, in the order in which they first appear, into BlockRecording::sites.
  std::vector<std::uint32_t> sites;
  /// All executions.
  std::uint64_t executions = 0;
  /// Executions with fixed lanes.
  std::uint64_t with_fixed_lanes = 0;
  /// [B] The widest access.
  std::int64_t widest = 1;
  /// A site of wmma.load or wmma.store, which take rows at one distance; none without.
  std::optional<std::uint32_t> fixed_pitch_site;
};

/// The accesses whose site has the tile's name and whose lowest active lane is within it.
TileAccesses tile_accesses(const BlockRecording& recording, const TileRange& tile,
                           const TileElements& elements);

/// The tiles that a layout can be searched for: the declared ones that the block accesses, and for memory without a
/// declared tile the whole array of that name; where its size is not known, as with dynamic shared memory, up to the
/// last byte that was accessed. `declared` with offsets from the start of the block's shared memory.
std::vector<TileRange> accessed_tiles(const BlockRecording& recording,
                                      const std::vector<TileRange>& declared);

}  // namespace tilescope
