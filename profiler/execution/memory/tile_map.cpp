#include "profiler/execution/memory/tile_map.hpp"

#include <algorithm>

namespace tilescope {

TileMap::TileMap(const simt::Program& program, const std::vector<NamedTile>& tiles,
                 const simt::GlobalMemory& memory) {
  std::vector<NamedTile> named = tiles;
  if (named.empty()) {
    for (const simt::SharedSymbol& symbol : program.shared_symbols) {
      named.push_back(
          {symbol.name, symbol.offset, symbol.bytes == 0 ? UINT64_MAX - symbol.offset : symbol.bytes});
    }
  }
  // If tiles overlap, the first one wins, and each later one gets the rest.
  for (const NamedTile& tile : named) {
    std::uint64_t begin = tile.offset;
    const std::uint64_t end = tile.offset + tile.bytes;
    std::vector<Range> taken = shared_;
    for (const Range& other : taken) {
      if (other.end <= begin || other.begin >= end) continue;
      if (begin < other.begin) shared_.push_back({begin, other.begin, number_of(tile.name)});
      begin = other.end;
    }
    if (begin < end) shared_.push_back({begin, end, number_of(tile.name)});
    std::ranges::sort(shared_, {}, &Range::begin);
  }
  for (const simt::Allocation& allocation : memory.allocations()) {
    global_.push_back(
        {allocation.address, allocation.address + allocation.bytes, number_of(allocation.name)});
  }
}

TileMap::Range TileMap::find(simt::Space space, std::uint64_t address) const {
  return space == simt::Space::shared ? find_in(shared_, address) : find_in(global_, address);
}

TileMap::Range TileMap::find_in(const std::vector<Range>& ranges, std::uint64_t address) {
  const auto behind = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
  const std::uint64_t end = behind == ranges.end() ? UINT64_MAX : behind->begin;
  if (behind == ranges.begin()) return {0, end, 0};
  const Range& before = *(behind - 1);
  if (before.contains(address)) return before;
  return {before.end, end, 0};
}

std::uint32_t TileMap::number_of(const std::string& name) {
  const auto found = std::ranges::find(names_, name);
  if (found != names_.end()) return static_cast<std::uint32_t>(found - names_.begin());
  names_.push_back(name);
  return static_cast<std::uint32_t>(names_.size() - 1);
}

}  // namespace tilescope
