#include "profiler/views/step/shared_contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

namespace tilescope {
namespace {

constexpr std::int32_t states = 3;

std::uint16_t half_of(std::uint32_t word, std::int64_t byte) {
  return static_cast<std::uint16_t>(word >> (byte % bank_word_bytes / 2 * 16));
}

// How the bytes of a word are read.
enum class Form { half, float_number, integer, short_integer, bytes };

// By the part that is shown at a word.
Form form_at(const BankGrid& grid, std::int64_t word) {
  const std::int32_t look = grid.look(word);
  if (look < 0) return Form::bytes;
  const BankGridPart& part = grid.parts()[BankGrid::part_of(look)];
  const auto names = [&](std::string_view type) { return part.type.find(type) != std::string::npos; };
  const bool is_integer = names("int") || names("unsigned") || names("short");
  if (part.element_bytes == 2) return is_integer ? Form::short_integer : Form::half;
  if (part.element_bytes == 4) return is_integer ? Form::integer : Form::float_number;
  return Form::bytes;
}

// A file's array of bfloat16 beside others of half.
reference::Format format_at(const BankGrid& grid, const SharedContents& contents, std::int64_t word) {
  const std::int32_t look = grid.look(word);
  const std::string type = look < 0 ? "" : grid.parts()[BankGrid::part_of(look)].type;
  if (type.empty()) return contents.format;
  return type.find("bf") != std::string::npos ? reference::Format::bf16 : reference::Format::fp16;
}

std::int16_t short_of(std::uint32_t word, std::int64_t byte) {
  return static_cast<std::int16_t>(half_of(word, byte));
}

std::string value_of(const BankGrid& grid, const SharedContents& contents, std::int64_t byte,
                     std::uint32_t word) {
  const std::int64_t at = byte / bank_word_bytes;
  switch (form_at(grid, at)) {
    case Form::half:
      return fmt::format("{:.5g}", reference::to_float(half_of(word, byte), format_at(grid, contents, at)));
    case Form::float_number:
      return fmt::format("{:.7g}", std::bit_cast<float>(word));
    case Form::integer:
      return fmt::format("{}", std::bit_cast<std::int32_t>(word));
    case Form::short_integer:
      return fmt::format("{}", short_of(word, byte));
    case Form::bytes:
      break;
  }
  return fmt::format("0x{:08x}, as a float {:.5g}", word, std::bit_cast<float>(word));
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

bool lie_as_stepped(const BankGrid& grid, const std::vector<ArrayStop>& arrays) {
  std::size_t same = 0;
  for (const ArrayStop& array : arrays) {
    const auto part = std::ranges::find(grid.parts(), array.name, &BankGridPart::name);
    if (part == grid.parts().end()) continue;
    if (part->offset != array.offset) return false;
    ++same;
  }
  return same > 0 || arrays.size() < 2;
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
  const reference::Format format = format_at(grid, contents, word);
  switch (form_at(grid, word)) {
    case Form::half:
      return fmt::format("{:.2f} {:.2f}", reference::to_float(half_of(value, 0), format),
                         reference::to_float(half_of(value, 2), format));
    case Form::float_number:
      return fmt::format("{:.5g}", std::bit_cast<float>(value));
    case Form::integer:
      return fmt::format("{}", std::bit_cast<std::int32_t>(value));
    case Form::short_integer:
      return fmt::format("{} {}", short_of(value, 0), short_of(value, 2));
    case Form::bytes:
      break;
  }
  return fmt::format("{:08x}", value);
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
