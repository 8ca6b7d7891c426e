#include "profiler/views/memory/tile_finder.hpp"

namespace tilescope {

TileFinder::TileFinder(const std::vector<TileRange>& tiles, const std::vector<NamedTile>& arrays) {
  for (const TileRange& range : tiles) {
    Tile& tile = tiles_.emplace_back(Tile{range.name, range.offset, range.offset + range.bytes, 0, {}});
    if (!range.layout) continue;
    tile.row_bytes = range.layout->pitch * range.layout->element_bytes;
    tile.places.emplace(*range.layout);
  }
  for (const NamedTile& array : arrays) {
    if (array.bytes == 0 && !tiles.empty()) continue;  // the tiles divide it
    const auto begin = static_cast<std::int64_t>(array.offset);
    const std::int64_t end = array.bytes == 0 ? INT64_MAX : begin + static_cast<std::int64_t>(array.bytes);
    tiles_.push_back({array.name, begin, end, 0, {}});
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
