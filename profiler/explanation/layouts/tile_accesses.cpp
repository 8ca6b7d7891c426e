#include "profiler/explanation/layouts/tile_accesses.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <unordered_map>

namespace tilescope {
namespace {

constexpr std::int64_t widest_element = 16;
// The cost of a copy past L1 stays the same when its source moves by whole lines of global memory.
constexpr std::uint64_t source_phase = 128;

bool contains(const TileRange& tile, std::uint64_t address) {
  const auto begin = static_cast<std::uint64_t>(tile.offset);
  return address >= begin && address < begin + static_cast<std::uint64_t>(tile.bytes);
}

// By site: whether it is one of the tile's in shared memory.
std::vector<bool> sites_of(const BlockRecording& recording, const TileRange& tile) {
  std::vector<bool> is_of_tile;
  is_of_tile.reserve(recording.sites.size());
  for (const RecordedSite& site : recording.sites)
    is_of_tile.push_back(site.is_shared && site.tile == tile.name);
  return is_of_tile;
}

// The element at each byte of the tile at which one starts.
class ElementAt {
 public:
  ElementAt(const TileElements& elements, std::int64_t bytes)
      : element_bytes_(static_cast<std::uint64_t>(elements.shape.element_bytes)),
        at_((static_cast<std::uint64_t>(bytes) + element_bytes_ - 1) / element_bytes_, -1) {
    for (std::size_t i = 0; i < elements.places.size(); ++i) {
      const std::uint64_t place = elements.places[i] / element_bytes_;
      if (place < at_.size()) at_[place] = static_cast<std::int64_t>(i);
    }
  }
  // -1 for none.
  std::int64_t find(std::uint64_t offset) const {
    const std::uint64_t place = offset / element_bytes_;
    return place < at_.size() ? at_[place] : -1;
  }
  std::uint64_t byte(std::uint64_t offset) const { return offset % element_bytes_; }

 private:
  std::uint64_t element_bytes_;
  std::vector<std::int64_t> at_;
};

class Gatherer {
 public:
  Gatherer(const BlockRecording& recording, const TileRange& tile, const TileElements& elements)
      : recording_(recording),
        tile_(tile),
        at_(elements, tile.bytes),
        is_of_tile_(sites_of(recording, tile)) {
    result_.base = static_cast<std::uint64_t>(tile.offset);
  }

  TileAccesses gather() {
    for (const RecordedAccess& access : recording_.accesses) {
      if (is_of_tile_[access.site] && contains(tile_, access.base)) add(access);
    }
    finish();
    return std::move(result_);
  }

 private:
  struct Key {
    std::uint64_t base = 0;
    std::uint32_t site = 0, pattern = 0, phase = 0;
    bool operator==(const Key&) const = default;
  };
  struct HashKey {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = key.base * 0x9e3779b97f4a7c15u;
      hash = (hash ^ (std::uint64_t{key.site} << 32 | key.pattern)) * 0xbf58476d1ce4e5b9u;
      return static_cast<std::size_t>((hash ^ hash >> 29 ^ key.phase) * 0x94d049bb133111ebu);
    }
  };

  void add(const RecordedAccess& access) {
    const bool has_source = !recording_.patterns[access.pattern].source_offsets.empty();
    const auto phase = static_cast<std::uint32_t>(has_source ? access.source_base % source_phase : 0);
    const auto [entry, is_new] =
        known_.try_emplace({access.base, access.site, access.pattern, phase}, result_.accesses.size());
    if (is_new) result_.accesses.push_back(make(access, has_source));
    ++result_.accesses[entry->second].executions;
  }

  TileAccess make(const RecordedAccess& access, bool has_source) const {
    const RecordedSite& site = recording_.sites[access.site];
    TileAccess made;
    made.site = access.site;
    made.access = site.access;
    made.lane_bytes = static_cast<std::uint8_t>(site.width_bytes);
    made.lanes = recording_.patterns[access.pattern].lanes;
    const std::array<std::uint64_t, 32> addresses = addresses_of(recording_, access);
    for (std::uint32_t rest = made.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const std::uint64_t offset = addresses[lane] - result_.base;
      const std::int64_t element = contains(tile_, addresses[lane]) ? at_.find(offset) : -1;
      if (element < 0) {
        made.fixed_lanes |= std::uint32_t{1} << lane;
        made.offsets[lane] = addresses[lane];
      } else {
        made.elements[lane] = static_cast<std::uint32_t>(element);
        made.offsets[lane] = result_.base + at_.byte(offset);
      }
    }
    if (has_source) {
      const std::array<std::uint64_t, 32> sources = source_addresses_of(recording_, access);
      made.source_addresses.assign(sources.begin(), sources.end());
      made.source_lanes = recording_.patterns[access.pattern].source_lanes;
    }
    return made;
  }

  void finish() {
    std::set<std::uint32_t> seen_sites;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> seen_runs;
    for (const TileAccess& access : result_.accesses) {
      result_.executions += access.executions;
      if (access.fixed_lanes != 0) result_.with_fixed_lanes += access.executions;
      result_.widest = std::max<std::int64_t>(result_.widest, access.lane_bytes);
      if (seen_sites.insert(access.site).second) result_.sites.push_back(access.site);
      for (std::uint32_t rest = access.lanes & ~access.fixed_lanes; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
        const auto byte = static_cast<std::uint32_t>(access.offsets[lane] - result_.base);
        if (!seen_runs.insert({access.elements[lane], byte, access.lane_bytes}).second) continue;
        result_.runs.push_back({access.elements[lane], byte, access.lane_bytes, access.site});
      }
    }
    for (const std::uint32_t site : result_.sites) {
      const bool is_wmma = recording_.sites[site].operation.starts_with("wmma");
      if (is_wmma && !result_.fixed_pitch_site) result_.fixed_pitch_site = site;
    }
  }

  const BlockRecording& recording_;
  const TileRange& tile_;
  const ElementAt at_;
  const std::vector<bool> is_of_tile_;
  std::unordered_map<Key, std::size_t, HashKey> known_;
  TileAccesses result_;
};

// The tile of an access: its place in `declared`, none without one. Tiles may overlap; the site's name says which it
// is.
std::optional<std::size_t> declared_tile(const std::vector<TileRange>& declared, const std::string& name,
                                         std::uint64_t address) {
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (declared[i].name == name && contains(declared[i], address)) return i;
  }
  return std::nullopt;
}

// [B] The first byte behind an access.
std::uint64_t end_of(const BlockRecording& recording, const RecordedAccess& access) {
  const RecordedPattern& pattern = recording.patterns[access.pattern];
  std::int64_t last = 0;
  for (std::uint32_t rest = pattern.lanes; rest != 0; rest &= rest - 1)
    last = std::max(last, pattern.offsets[static_cast<std::size_t>(std::countr_zero(rest))]);
  return access.base + static_cast<std::uint64_t>(last) + recording.sites[access.site].width_bytes;
}

std::uint64_t begin_of(const BlockRecording& recording, const RecordedAccess& access) {
  const RecordedPattern& pattern = recording.patterns[access.pattern];
  std::int64_t first = 0;
  for (std::uint32_t rest = pattern.lanes; rest != 0; rest &= rest - 1)
    first = std::min(first, pattern.offsets[static_cast<std::size_t>(std::countr_zero(rest))]);
  return access.base + static_cast<std::uint64_t>(first);
}

}  // namespace

TileElements elements_of(const TileLayout& layout) {
  TileElements elements{{layout.rows, layout.columns, layout.element_bytes}, {}};
  elements.places.reserve(layout.index.size());
  for (const std::uint32_t place : layout.index)
    elements.places.push_back(place * static_cast<std::uint32_t>(layout.element_bytes));
  return elements;
}

TileElements elements_by_pitch(std::int64_t bytes, std::int64_t pitch, std::int64_t element_bytes) {
  if (pitch < 1 || pitch % element_bytes != 0) {
    throw std::invalid_argument("A row of " + std::to_string(pitch) + " B is not a whole number of the " +
                                std::to_string(element_bytes) + " B that an access of this tile moves.");
  }
  TileElements elements{{(bytes + pitch - 1) / pitch, pitch / element_bytes, element_bytes}, {}};
  elements.places = places_of({}, elements.shape);
  return elements;
}

TileElements elements_in_line(std::int64_t bytes, std::int64_t element_bytes) {
  TileElements elements{{1, (bytes + element_bytes - 1) / element_bytes, element_bytes}, {}};
  elements.places = places_of({}, elements.shape);
  return elements;
}

std::int64_t common_element_bytes(const BlockRecording& recording, const TileRange& tile) {
  const std::vector<bool> is_of_tile = sites_of(recording, tile);
  std::vector<bool> seen(recording.patterns.size());
  std::uint64_t divisor = widest_element;
  for (const RecordedAccess& access : recording.accesses) {
    if (!is_of_tile[access.site] || !contains(tile, access.base)) continue;
    divisor = std::gcd(divisor, access.base - static_cast<std::uint64_t>(tile.offset));
    divisor = std::gcd(divisor, std::uint64_t{recording.sites[access.site].width_bytes});
    if (seen[access.pattern]) continue;
    seen[access.pattern] = true;
    for (const std::int64_t offset : recording.patterns[access.pattern].offsets)
      divisor = std::gcd(divisor, static_cast<std::uint64_t>(offset < 0 ? -offset : offset));
  }
  return static_cast<std::int64_t>(divisor);
}

TileAccesses tile_accesses(const BlockRecording& recording, const TileRange& tile,
                           const TileElements& elements) {
  return Gatherer(recording, tile, elements).gather();
}

std::vector<TileRange> accessed_tiles(const BlockRecording& recording,
                                      const std::vector<TileRange>& declared) {
  std::vector<bool> is_accessed(declared.size());
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>
      others;  // by name: the first byte and the end
  for (const RecordedAccess& access : recording.accesses) {
    const RecordedSite& site = recording.sites[access.site];
    if (!site.is_shared) continue;
    if (const auto tile = declared_tile(declared, site.tile, access.base)) {
      is_accessed[*tile] = true;
      continue;
    }
    const std::uint64_t begin = begin_of(recording, access), end = end_of(recording, access);
    const auto [entry, is_new] = others.try_emplace(site.tile, begin, end);
    if (is_new) continue;
    entry->second.first = std::min(entry->second.first, begin);
    entry->second.second = std::max(entry->second.second, end);
  }
  std::vector<TileRange> tiles;
  for (std::size_t i = 0; i < declared.size(); ++i) {
    if (is_accessed[i]) tiles.push_back(declared[i]);
  }
  for (auto& [name, range] : others) {
    for (const NamedTile& array : recording.arrays) {
      if (array.name != name) continue;
      range.first = std::min(range.first, array.offset);
      range.second = std::max(range.second, array.offset + array.bytes);
    }
    tiles.push_back({name, static_cast<std::int64_t>(range.first),
                     static_cast<std::int64_t>(range.second - range.first), std::nullopt});
  }
  return tiles;
}

}  // namespace tilescope
