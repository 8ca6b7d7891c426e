#include "profiler/views/memory/file_tiles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

// [B] More than this behind each row are elements that this block does not need, not padding.
constexpr std::int64_t most_padding = 32;

struct Bytes {
  std::uint64_t first = UINT64_MAX, end = 0;
};

template <class Take>
void for_each_lane(const BlockRecording& recording, const RecordedAccess& access, Take take) {
  const auto addresses = addresses_of(recording, access);
  const std::uint32_t width = recording.sites[access.site].width_bytes;
  for (std::uint32_t rest = recording.patterns[access.pattern].lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    take(address, address + width);
  }
}

TileLayout layout_of(const SourceTile& tile, std::int64_t columns) {
  TileLayout layout{tile.rows(), columns, tile.element_bytes, tile.columns(), {}};
  layout.index.reserve(static_cast<std::size_t>(layout.rows * layout.columns));
  for (std::int64_t row = 0; row < layout.rows; ++row) {
    for (std::int64_t column = 0; column < layout.columns; ++column)
      layout.index.push_back(static_cast<std::uint32_t>(row * layout.pitch + column));
  }
  return layout;
}

/// Ranges that instructions reach, those that overlap joined.
class ReachedRanges {
 public:
  ReachedRanges(const RecordedBlock& recorded, std::string base)
      : recording_(recorded.recording), base_(std::move(base)), sites_(recording_.sites.size()) {
    for (const RecordedAccess& access : recording_.accesses) {
      if (!is_wanted(access.site)) continue;
      Bytes& bytes = sites_[access.site];
      for_each_lane(recording_, access, [&](std::uint64_t first, std::uint64_t end) {
        bytes.first = std::min(bytes.first, first);
        bytes.end = std::max(bytes.end, end);
      });
    }
    join();
  }

  const std::vector<Bytes>& joined() const { return joined_; }
  bool is_wanted(std::uint32_t site) const {
    return recording_.sites[site].is_shared && recording_.sites[site].tile == base_;
  }
  /// None for a site without accesses.
  std::optional<std::size_t> range_of(std::uint32_t site) const {
    for (std::size_t i = 0; i < joined_.size(); ++i) {
      const bool is_in = sites_[site].first >= joined_[i].first && sites_[site].end <= joined_[i].end;
      if (is_in) return i;
    }
    return std::nullopt;
  }
  std::string name(std::size_t range) const {
    std::string whole = base_.empty() ? "shared memory" : base_;
    if (joined_.size() == 1) return whole;
    return fmt::format("{} + {} B", whole,
                       format_count(static_cast<std::int64_t>(joined_[range].first - joined_.front().first)));
  }

 private:
  void join() {
    std::vector<Bytes> ranges;
    for (const Bytes& bytes : sites_) {
      if (bytes.end > bytes.first) ranges.push_back(bytes);
    }
    std::ranges::sort(ranges, {}, &Bytes::first);
    for (const Bytes& bytes : ranges) {
      if (joined_.empty() || bytes.first >= joined_.back().end) {
        joined_.push_back(bytes);
      } else {
        joined_.back().end = std::max(joined_.back().end, bytes.end);
      }
    }
  }

  const BlockRecording& recording_;
  const std::string base_;
  std::vector<Bytes> sites_, joined_;
};

void add_reached_ranges(const std::string& base, RecordedBlock& recorded) {
  const ReachedRanges ranges(recorded, base);
  for (std::size_t i = 0; i < ranges.joined().size(); ++i) {
    const Bytes& bytes = ranges.joined()[i];
    recorded.tiles.push_back({ranges.name(i), static_cast<std::int64_t>(bytes.first),
                              static_cast<std::int64_t>(bytes.end - bytes.first), std::nullopt});
  }
  for (std::uint32_t site = 0; site < recorded.recording.sites.size(); ++site) {
    if (!ranges.is_wanted(site)) continue;
    if (const auto range = ranges.range_of(site)) recorded.recording.sites[site].tile = ranges.name(*range);
  }
}

}  // namespace

std::int64_t columns_in_use(const SourceTile& tile, const BlockRecording& recording) {
  const auto offset = static_cast<std::uint64_t>(tile.offset);
  const auto row_bytes = static_cast<std::uint64_t>(tile.columns() * tile.element_bytes);
  std::uint64_t reached = 0;
  for (const RecordedAccess& access : recording.accesses) {
    const RecordedSite& site = recording.sites[access.site];
    if (!site.is_shared || site.tile != tile.name) continue;
    for_each_lane(recording, access, [&](std::uint64_t first, std::uint64_t end) {
      if (first < offset) return;
      const std::uint64_t in_row = (first - offset) % row_bytes;
      reached = std::max(reached, std::min(in_row + (end - first), row_bytes));
    });
  }
  const auto element = static_cast<std::uint64_t>(tile.element_bytes);
  const auto columns = static_cast<std::int64_t>((reached + element - 1) / element);
  const std::int64_t left = (tile.columns() - columns) * tile.element_bytes;
  const bool is_padding =
      left > 0 && left <= most_padding && std::has_single_bit(static_cast<std::uint64_t>(columns));
  return is_padding ? columns : tile.columns();
}

void divide_file_memory(const std::vector<SourceTile>& source_tiles, RecordedBlock& recorded) {
  recorded.source_tiles = source_tiles;
  std::string dynamic;
  for (const NamedTile& array : recorded.recording.arrays) {
    if (array.bytes == 0) {
      dynamic = array.name;
      continue;
    }
    TileRange range{array.name, static_cast<std::int64_t>(array.offset),
                    static_cast<std::int64_t>(array.bytes), std::nullopt};
    const auto declared = std::ranges::find(source_tiles, array.name, &SourceTile::name);
    if (declared != source_tiles.end() && declared->rows() > 1)
      range.layout = layout_of(*declared, columns_in_use(*declared, recorded.recording));
    recorded.tiles.push_back(std::move(range));
  }
  std::erase_if(recorded.recording.arrays, [](const NamedTile& array) { return array.bytes > 0; });
  add_reached_ranges("", recorded);
  if (!dynamic.empty()) add_reached_ranges(dynamic, recorded);
}

}  // namespace tilescope
