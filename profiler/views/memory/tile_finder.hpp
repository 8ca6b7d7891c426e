#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/kernels/catalogue/tiles.hpp"

namespace tilescope {

/// Tile and element of an address of the block's shared memory.
struct AddressPlace {
  /// "" between the tiles and arrays.
  std::string tile;
  /// [B] From the start of the tile, else of shared memory.
  std::int64_t offset = 0;
  /// None without a layout, in padding and behind the last row.
  std::optional<TilePlace> element;
  /// [B] From one row of the tile to the next; 0 without a layout.
  std::int64_t row_bytes = 0;
};

/// The declared tiles of a block and the arrays of its code, for the place of many addresses. A tile comes before an
/// array in which it lies.
class TileFinder {
 public:
  TileFinder() = default;
  /// With offsets from the start of the block's shared memory. An array of 0 B is the dynamic shared memory: it has no
  /// end, and is not looked into where tiles are declared.
  explicit TileFinder(const std::vector<TileRange>& tiles, const std::vector<NamedTile>& arrays = {});
  AddressPlace place(std::uint64_t address) const;

 private:
  struct Tile {
    std::string name;
    std::int64_t begin = 0, end = 0;
    std::int64_t row_bytes = 0;
    std::optional<TilePlaces> places;
  };
  std::vector<Tile> tiles_;
};

}  // namespace tilescope
