#include "profiler/views/tile_finder.hpp"

namespace tilescope {

TileFinder::TileFinder(const std::vector<TileRange>& tiles) {
  for (const TileRange& range : tiles) {
    Tile& tile = tiles_.emplace_back(Tile{range.name, range.offset, range.offset + range.bytes, 0, {}});
    if (!range.layout) continue;
    tile.row_bytes = range.layout->pitch * range.layout->element_bytes;
    tile.places.emplace(*range.layout);
  }
}

AddressPlace TileFinder::place(std::uint64_t address) const {
  const auto byte = static_cast<std::int64_t>(address);
  for (const Tile& tile : tiles_) {
    if (byte < tile.begin || byte >= tile.end) continue;
    AddressPlace place{tile.name, byte - tile.begin, std::nullopt, tile.row_bytes};
    if (tile.places) place.element = tile.places->at(place.offset);
    return place;
  }
  return {"", byte, std::nullopt, 0};
}

}  // namespace tilescope
