#include "profiler/views/step/shared_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace tilescope {
namespace {

constexpr std::int32_t states = 3;

std::uint16_t half_of(std::uint32_t word, std::int64_t byte) {
  return static_cast<std::uint16_t>(word >> (byte % bank_word_bytes / 2 * 16));
}

// The elements of the part that is shown at a word; 0 where they are not declared.
std::int64_t element_bytes_at(const BankGrid& grid, std::int64_t word) {
  const std::int32_t look = grid.look(word);
  return look < 0 ? 0 : grid.parts()[BankGrid::part_of(look)].element_bytes;
}

std::string value_of(const BankGrid& grid, const SharedContents& contents, std::int64_t byte,
                     std::uint32_t word) {
  switch (element_bytes_at(grid, byte / bank_word_bytes)) {
    case 2:
      return fmt::format("{:.5g}", reference::to_float(half_of(word, byte), contents.format));
    case 4:
      return fmt::format("{:.7g}", std::bit_cast<float>(word));
    default:
      return fmt::format("0x{:08x}, as a float {:.5g}", word, std::bit_cast<float>(word));
  }
}

const TileStop* tile_of(const SharedContents& contents, const std::string& name) {
  const auto found = std::ranges::find(contents.tiles, name, &TileStop::name);
  return found == contents.tiles.end() ? nullptr : &*found;
}

}  // namespace

SharedContents shared_contents(const StepStop& stop, const std::vector<std::optional<std::uint32_t>>& before,
                               reference::Format format) {
  SharedContents contents;
  contents.words = stop.shared_words;
  contents.format = format;
  contents.tiles = stop.tiles;
  contents.changed.resize(contents.words.size());
  for (std::size_t i = 0; i < contents.words.size(); ++i) {
    contents.unwritten += contents.words[i] ? 0 : 1;
    contents.changed[i] = i < before.size() && contents.words[i] && contents.words[i] != before[i];
    contents.changes += contents.changed[i] ? 1 : 0;
  }
  return contents;
}

std::int32_t content_look(const BankGrid& grid, const SharedContents& contents, std::int64_t word) {
  const std::int32_t look = grid.look(word);
  if (look == BankGrid::outside) return look;
  const auto index = static_cast<std::size_t>(word);
  const bool is_written = index < contents.words.size() && contents.words[index].has_value();
  if (look == BankGrid::unused && !is_written) return look;
  WordState state = is_written ? WordState::written : WordState::unwritten;
  if (is_written && contents.changed[index]) state = WordState::changed;
  const std::size_t part = look < 0 ? grid.parts().size() : BankGrid::part_of(look);
  return static_cast<std::int32_t>(part) * states + static_cast<std::int32_t>(state);
}

WordState state_of_look(std::int32_t look) {
  return static_cast<WordState>(look % states);
}

std::optional<std::size_t> part_of_content(const BankGrid& grid, std::int32_t look) {
  const auto part = static_cast<std::size_t>(look / states);
  return part < grid.parts().size() ? std::optional(part) : std::nullopt;
}

std::vector<BankGridBox> contents_boxes(const BankGrid& grid, const SharedContents& contents,
                                        std::int64_t first_row, std::int64_t end_row,
                                        std::int64_t rows_per_line) {
  const auto weight = [](std::int32_t look) { return look < 0 ? look : look % states; };
  return merged_boxes(first_row, std::min(end_row, grid.rows()), rows_per_line,
                      [&](std::int64_t first, std::int64_t end, std::int64_t bank) {
                        std::int32_t best = BankGrid::outside;
                        for (std::int64_t row = first; row < end; ++row) {
                          const std::int32_t here = content_look(grid, contents, row * grid_banks + bank);
                          if (weight(here) > weight(best)) best = here;
                        }
                        return best;
                      });
}

std::string content_text(const BankGrid& grid, const SharedContents& contents, std::int64_t word) {
  const auto index = static_cast<std::size_t>(word);
  if (index >= contents.words.size() || !contents.words[index]) return "";
  const std::uint32_t value = *contents.words[index];
  switch (element_bytes_at(grid, word)) {
    case 2:
      return fmt::format("{:.2f} {:.2f}", reference::to_float(half_of(value, 0), contents.format),
                         reference::to_float(half_of(value, 2), contents.format));
    case 4:
      return fmt::format("{:.5g}", std::bit_cast<float>(value));
    default:
      return fmt::format("{:08x}", value);
  }
}

std::string content_name(const BankGrid& grid, const SharedContents& contents, std::size_t part) {
  const std::string names = names_in_middle(grid, part);
  const TileStop* tile = tile_of(contents, grid.parts()[part].name);
  return names.empty() || tile == nullptr || tile->rows.empty() ? names
                                                                : names + ": " + contents_words(*tile);
}

std::vector<TextPair> content_details(const BankGrid& grid, const SharedContents& contents,
                                      std::int64_t byte) {
  std::vector<TextPair> lines;
  const auto index = static_cast<std::size_t>(byte / bank_word_bytes);
  if (byte < 0 || index >= contents.words.size()) return lines;
  if (!contents.words[index]) return {{"Value", "not written yet"}};
  lines.emplace_back("Value", value_of(grid, contents, byte, *contents.words[index]) +
                                  (contents.changed[index] ? ", written since the stop before" : ""));
  const std::vector<std::size_t> parts = grid.parts_at(byte);
  if (parts.empty()) return lines;
  const TileStop* tile = tile_of(contents, grid.parts()[parts.front()].name);
  const std::optional<TilePlace> place = grid.element_at(parts.front(), byte);
  if (tile == nullptr || !place || static_cast<std::size_t>(place->row) >= tile->rows.size()) return lines;
  const TileRowStop& row = tile->rows[static_cast<std::size_t>(place->row)];
  if (row.row >= 0) lines.emplace_back("Holds", fmt::format("row {} of {}", row.row, row.tensor));
  return lines;
}

std::string row_words(const TileRowStop& row) {
  if (row.is_unwritten) return "unwritten";
  if (row.row < 0) return "written";
  return fmt::format("{} {}", row.tensor, row.row);
}

std::string contents_words(const TileStop& tile) {
  std::string text;
  for (std::size_t i = 0; i < tile.rows.size();) {
    const TileRowStop& first = tile.rows[i];
    const auto continues = [&](std::size_t at) {
      const TileRowStop& row = tile.rows[at];
      if (row.tensor != first.tensor || row.is_unwritten != first.is_unwritten) return false;
      return first.row < 0 ? row.row < 0 : row.row == first.row + static_cast<std::int64_t>(at - i);
    };
    std::size_t end = i + 1;
    while (end < tile.rows.size() && continues(end)) ++end;
    text += text.empty() ? "" : "; ";
    if (first.row >= 0 && end > i + 1) {
      text += fmt::format("{} {} to {}", first.tensor, first.row, tile.rows[end - 1].row);
    } else {
      text += row_words(first) + (end > i + 1 ? fmt::format(" ({} rows)", end - i) : "");
    }
    i = end;
  }
  return text;
}

}  // namespace tilescope
