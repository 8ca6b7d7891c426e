#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiler/catalogue/tiles.hpp"

namespace tilescope {

/// Where an address of the block's shared memory lies.
struct AddressPlace {
  /// "" between the declared tiles.
  std::string tile;
  /// [B] From the start of the tile, else of shared memory.
  std::int64_t offset = 0;
  /// None without a layout, in padding and behind the last row.
  std::optional<TilePlace> element;
  /// [B] From one row of the tile to the next; 0 without a layout.
  std::int64_t row_bytes = 0;
};

/// The declared tiles of a block, for the place of many addresses.
class TileFinder {
 public:
  TileFinder() = default;
  /// With offsets from the start of the block's shared memory.
  explicit TileFinder(const std::vector<TileRange>& tiles);
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
