#include "profiler/views/memory/bank_grid.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace tilescope {
namespace {

// "K" of "K 0" and of "K and V": what the tiles of several stages have in common.
std::string family_of(const std::string& name) {
  if (const std::size_t both = name.find(" and "); both != std::string::npos) return name.substr(0, both);
  const std::size_t end = name.find_last_not_of("0123456789 ");
  return end == std::string::npos ? name : name.substr(0, end + 1);
}

BankGridPart part_of_tile(const TileRange& tile) {
  BankGridPart part{BankGridPart::Kind::tile, tile.name, tile.offset, tile.bytes};
  if (tile.layout) {
    part.rows = tile.layout->rows;
    part.columns = tile.layout->columns;
    part.element_bytes = tile.layout->element_bytes;
    part.pitch = tile.layout->pitch;
    part.padding_bytes = tile.bytes - part.rows * part.columns * part.element_bytes;
  }
  return part;
}

}  // namespace

BankGrid::BankGrid(std::int64_t static_bytes, std::int64_t dynamic_bytes, const std::vector<TileRange>& tiles,
                   const std::vector<NamedTile>& arrays, const std::vector<SourceTile>& source_tiles)
    : bytes_(static_bytes + dynamic_bytes) {
  std::string dynamic_name = "dynamic shared memory";
  for (const NamedTile& array : arrays) {
    if (array.bytes == 0) dynamic_name = array.name;
    if (array.bytes > 0) {
      add_part({BankGridPart::Kind::array, array.name, static_cast<std::int64_t>(array.offset),
                static_cast<std::int64_t>(array.bytes)},
               nullptr);
    }
  }
  for (const TileRange& tile : tiles) add_part(part_of_tile(tile), tile.layout ? &*tile.layout : nullptr);
  if (tiles.empty() && dynamic_bytes > 0)
    add_part({BankGridPart::Kind::unnamed, dynamic_name, static_bytes, dynamic_bytes}, nullptr);
  take_types(source_tiles);
  choose_colors();
  bring_to_front(std::nullopt);
}

void BankGrid::take_types(const std::vector<SourceTile>& source_tiles) {
  for (BankGridPart& part : parts_) {
    const auto declared = std::ranges::find(source_tiles, part.name, &SourceTile::name);
    if (declared == source_tiles.end()) continue;
    part.type = declared->type;
    part.element_bytes = declared->element_bytes;
  }
}

void BankGrid::add_part(BankGridPart part, const TileLayout* layout) {
  parts_.push_back(std::move(part));
  places_.emplace_back();
  if (layout != nullptr) places_.back().emplace(*layout);
}

// The tiles of attention have the same colors in every kernel; others take what these leave.
void BankGrid::choose_colors() {
  std::map<std::string, std::size_t> chosen = {{"Q", 0}, {"K", 1}, {"V", 2}, {"S", 3}, {"O", 4}, {"P", 5}};
  std::array<bool, bank_grid_colors> used{};
  const auto family_at = [](const BankGridPart& part) { return family_of(part.name); };
  for (const BankGridPart& part : parts_) {
    const auto known = chosen.find(family_at(part));
    if (known != chosen.end()) used[known->second] = true;
  }
  for (BankGridPart& part : parts_) {
    const auto [family, is_new] = chosen.try_emplace(family_at(part), bank_grid_colors - 1);
    if (is_new) {
      const auto unused_color = std::find(used.rbegin(), used.rend(), false);
      if (unused_color != used.rend())
        family->second = static_cast<std::size_t>(used.rend() - unused_color) - 1;
      used[family->second] = true;
    }
    part.color = family->second;
  }
}

void BankGrid::bring_to_front(std::optional<std::size_t> part) {
  front_ = part;
  looks_.assign(static_cast<std::size_t>(words()), unused);
  for (std::size_t i = parts_.size(); i-- > 0;) paint(i);
  if (part) paint(*part);
}

void BankGrid::paint(std::size_t part) {
  const BankGridPart& at = parts_[part];
  const auto element = static_cast<std::int32_t>(2 * part);
  const std::int64_t end = std::min(at.end(), bytes_);
  if (at.offset >= end) return;
  const auto word_of = [](std::int64_t byte) { return static_cast<std::ptrdiff_t>(byte / bank_word_bytes); };
  std::fill(looks_.begin() + word_of(at.offset), looks_.begin() + word_of(end - 1) + 1,
            at.padding_bytes > 0 ? element + 1 : element);
  if (at.padding_bytes == 0) return;
  const std::int64_t step = std::min(at.element_bytes, bank_word_bytes);
  for (std::int64_t byte = at.offset; byte < end; byte += step) {
    if (places_[part]->at(byte - at.offset)) looks_[static_cast<std::size_t>(word_of(byte))] = element;
  }
}

std::int32_t BankGrid::look(std::int64_t word) const {
  return word >= 0 && word < words() ? looks_[static_cast<std::size_t>(word)] : outside;
}

std::int32_t BankGrid::line_look(std::int64_t first_row, std::int64_t end_row, std::int64_t bank) const {
  std::int32_t best = outside;
  for (std::int64_t row = first_row; row < end_row; ++row) {
    const std::int32_t here = look(row * grid_banks + bank);
    if (here == best) continue;
    const bool both_named = here >= 0 && best >= 0;
    if (both_named && part_of(here) == part_of(best)) {
      best = std::min(here, best);  // elements before padding
    } else if (both_named ? parts_[part_of(here)].bytes < parts_[part_of(best)].bytes : here > best) {
      best = here;
    }
  }
  return best;
}

std::vector<BankGridBox> BankGrid::boxes(std::int64_t first_row, std::int64_t end_row,
                                         std::int64_t rows_per_line) const {
  return merged_boxes(first_row, std::min(end_row, rows()), rows_per_line,
                      [this](std::int64_t first, std::int64_t end, std::int64_t bank) {
                        return line_look(first, end, bank);
                      });
}

std::vector<std::size_t> BankGrid::parts_at(std::int64_t byte) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (byte >= parts_[i].offset && byte < parts_[i].end()) found.push_back(i);
  }
  const std::int32_t here = byte >= 0 ? look(byte / bank_word_bytes) : outside;
  if (here >= 0) {
    const auto shown = std::find(found.begin(), found.end(), part_of(here));
    if (shown != found.end()) std::rotate(found.begin(), shown, shown + 1);
  }
  return found;
}

std::optional<TilePlace> BankGrid::element_at(std::size_t part, std::int64_t byte) const {
  return places_[part] ? places_[part]->at(byte - parts_[part].offset) : std::nullopt;
}

}  // namespace tilescope
