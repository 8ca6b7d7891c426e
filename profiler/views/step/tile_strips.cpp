#include "profiler/views/step/tile_strips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {

namespace {

using Kind = HeldRange::Kind;

Kind kind_of(const TileRowStop& row) {
  if (row.is_unwritten) return Kind::unwritten;
  return row.tensor.empty() || row.row < 0 ? Kind::other : Kind::tensor;
}

// "K 1" is stage 1 of "K": the stem, and the number, -1 without one.
std::pair<std::string, std::int64_t> stem_and_number(const std::string& name) {
  const std::size_t space = name.find_last_of(" _");
  if (space == std::string::npos || space + 1 == name.size()) return {name, -1};
  const std::string digits = name.substr(space + 1);
  const bool is_number = digits.size() < 4 && std::all_of(digits.begin(), digits.end(), [](unsigned char c) {
                           return std::isdigit(c) != 0;
                         });
  return is_number ? std::pair{name.substr(0, space), std::int64_t{std::stoi(digits)}}
                   : std::pair{name, std::int64_t{-1}};
}

bool continues(const HeldRange& range, const TileRowStop& row) {
  if (kind_of(row) != range.kind) return false;
  return range.kind != Kind::tensor || (row.tensor == range.tensor && row.row == range.rows.end());
}

// A tile that is as high as several key tiles holds as many stages.
std::int64_t rows_of_a_stage(const TileStop& tile, std::int64_t keys_of_a_tile) {
  const auto rows = static_cast<std::int64_t>(tile.rows.size());
  const bool has_keys = tile.name.starts_with("K") || tile.name.starts_with("V");
  return has_keys && keys_of_a_tile > 0 && rows > keys_of_a_tile && rows % keys_of_a_tile == 0
             ? keys_of_a_tile
             : rows;
}

void append_ranges(std::vector<HeldRange>& ranges, const TileStop& tile, std::int64_t stage_rows,
                   std::int64_t number) {
  const auto rows = static_cast<std::int64_t>(tile.rows.size());
  const std::size_t first = ranges.size();
  for (std::int64_t i = 0; i < rows; ++i) {
    const TileRowStop& row = tile.rows[static_cast<std::size_t>(i)];
    const bool is_first = ranges.size() == first || i % stage_rows == 0;
    if (!is_first && continues(ranges.back(), row)) {
      ++ranges.back().tile_rows.count;
      if (ranges.back().kind == Kind::tensor) ++ranges.back().rows.count;
      continue;
    }
    HeldRange range;
    range.kind = kind_of(row);
    if (range.kind == Kind::tensor) {
      range.tensor = row.tensor;
      range.rows = {row.row, 1};
    }
    range.tile = tile.name;
    range.tile_rows = {i, 1};
    range.stage = stage_rows < rows ? i / stage_rows : number;
    ranges.push_back(std::move(range));
  }
  for (std::size_t i = first; i < ranges.size(); ++i)
    ranges[i].is_partial = ranges[i].tile_rows.count < stage_rows;
}

constexpr std::size_t most_pieces = 3;

// A tile in many pieces.
HeldLine summary_of(const std::vector<HeldRange>& pieces) {
  std::map<std::string, std::vector<std::int64_t>> rows_of;
  std::int64_t all = 0, unwritten = 0, other = 0;
  for (const HeldRange& piece : pieces) {
    all += piece.tile_rows.count;
    if (piece.kind == Kind::unwritten) unwritten += piece.tile_rows.count;
    if (piece.kind == Kind::other) other += piece.tile_rows.count;
    for (std::int64_t row = piece.rows.first; row < piece.rows.end(); ++row)
      rows_of[piece.tensor].push_back(row);
  }
  std::string text = "Tile " + pieces.front().tile;
  if (pieces.front().stage >= 0) text += ", stage " + std::to_string(pieces.front().stage);
  const char* separator = ": ";
  for (auto& [tensor, rows] : rows_of) {
    std::sort(rows.begin(), rows.end());
    text += fmt::format("{}{} {} ({} of {})", separator, tensor, counted_list("row", rows), rows.size(), all);
    separator = ", ";
  }
  if (unwritten > 0) text += separator + counted_noun(unwritten, "row") + " unwritten";
  if (other > 0)
    text += (unwritten > 0 ? ", " : separator) + counted_noun(other, "row") + " of neither Q, K nor V";
  return {text, !rows_of.empty(), true, pieces.front().stage};
}

// [B] Place of the tile, without padding.
IndexRange bytes_of(const TileStop& tile) {
  return {tile.offset, static_cast<std::int64_t>(tile.rows.size()) * tile.columns * tile.element_bytes};
}

// Tiles that take turns share bytes: rows that lie in the tile of their tensor are not said of the other one too.
bool is_said_elsewhere(const StepStop& stop, const std::vector<HeldRange>& ranges, const HeldRange& range) {
  if (range.kind != Kind::tensor || range.tile.starts_with(range.tensor)) return false;
  const auto tile_of = [&](const HeldRange& one) -> const TileStop& {
    return *std::find_if(stop.tiles.begin(), stop.tiles.end(),
                         [&](const TileStop& tile) { return tile.name == one.tile; });
  };
  const IndexRange bytes = bytes_of(tile_of(range));
  return std::any_of(ranges.begin(), ranges.end(), [&](const HeldRange& other) {
    if (other.tensor != range.tensor || !other.tile.starts_with(range.tensor)) return false;
    if (other.rows.first > range.rows.first || other.rows.end() < range.rows.end()) return false;
    const IndexRange there = bytes_of(tile_of(other));
    return there.first < bytes.end() && bytes.first < there.end();
  });
}

}  // namespace

std::vector<HeldRange> held_ranges(const StepStop& stop, std::int64_t keys_of_a_tile) {
  std::map<std::string, int> numbered;
  for (const TileStop& tile : stop.tiles) {
    const auto [stem, number] = stem_and_number(tile.name);
    if (number >= 0) ++numbered[stem];
  }
  std::vector<HeldRange> ranges;
  for (const TileStop& tile : stop.tiles) {
    if (tile.rows.empty()) continue;
    const auto [stem, number] = stem_and_number(tile.name);
    const bool is_stage = number >= 0 && numbered.at(stem) > 1;
    append_ranges(ranges, tile, rows_of_a_stage(tile, keys_of_a_tile), is_stage ? number : -1);
  }
  const std::vector<HeldRange> all = ranges;
  std::erase_if(ranges, [&](const HeldRange& range) { return is_said_elsewhere(stop, all, range); });
  return ranges;
}

std::string held_words(const HeldRange& range) {
  const std::string stage = range.stage < 0 ? "" : ", stage " + std::to_string(range.stage);
  if (range.kind == Kind::tensor)
    return range.tensor + " " + range_words("row", range.rows) + " in tile " + range.tile + stage +
           (range.is_partial ? ", partly" : "");
  const std::string rows = range.is_partial ? ", " + range_words("row", range.tile_rows) : "";
  return "Tile " + range.tile + stage + rows + ": " +
         (range.kind == Kind::unwritten ? "unwritten" : "no row of Q, K or V");
}

std::vector<HeldRange> held_of(const std::vector<HeldRange>& ranges, const std::string& tensor) {
  std::vector<HeldRange> held;
  std::copy_if(ranges.begin(), ranges.end(), std::back_inserter(held),
               [&](const HeldRange& range) { return range.kind == Kind::tensor && range.tensor == tensor; });
  return held;
}

std::vector<HeldLine> held_lines(const std::vector<HeldRange>& ranges) {
  std::vector<HeldLine> lines;
  for (std::size_t first = 0; first < ranges.size();) {
    std::size_t end = first + 1;
    while (end < ranges.size() && ranges[end].tile == ranges[first].tile &&
           ranges[end].stage == ranges[first].stage)
      ++end;
    if (end - first > most_pieces) {
      lines.push_back(summary_of({ranges.begin() + static_cast<std::ptrdiff_t>(first),
                                  ranges.begin() + static_cast<std::ptrdiff_t>(end)}));
    } else {
      for (std::size_t i = first; i < end; ++i)
        lines.push_back(
            {held_words(ranges[i]), ranges[i].kind == Kind::tensor, ranges[i].is_partial, ranges[i].stage});
    }
    first = end;
  }
  return lines;
}

}  // namespace tilescope
