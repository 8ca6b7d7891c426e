#include <algorithm>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "profiler/views/memory/bank_grid.hpp"

namespace tilescope {
namespace {

std::string part_words(const BankGrid& grid, std::size_t index, std::int64_t byte) {
  const BankGridPart& part = grid.parts()[index];
  if (part.rows == 0) return part.name + " + " + format_count(byte - part.offset) + " B";
  const std::optional<TilePlace> place = grid.element_at(index, byte);
  if (!place) return part.name + ", padding";
  return part.name + ", row " + std::to_string(place->row) + ", column " + std::to_string(place->column);
}

std::string kind_words(BankGridPart::Kind kind) {
  switch (kind) {
    case BankGridPart::Kind::tile:
      return "tile";
    case BankGridPart::Kind::array:
      return "static array";
    case BankGridPart::Kind::unnamed:
      return "not declared";
  }
  return "";
}

}  // namespace

std::string byte_words(const BankGrid& grid, std::int64_t byte) {
  const std::vector<std::size_t> parts = grid.parts_at(byte);
  return parts.empty() ? "unused" : part_words(grid, parts.front(), byte);
}

std::string names_in_middle(const BankGrid& grid, std::size_t part) {
  const BankGridPart& at = grid.parts()[part];
  const std::vector<std::size_t> parts = grid.parts_at(at.offset + at.bytes / 2);
  if (parts.empty() || parts.front() != part) return "";
  std::string names;
  for (const std::size_t one : parts) names += (names.empty() ? "" : " / ") + grid.parts()[one].name;
  return names;
}

std::vector<TextPair> byte_details(const BankGrid& grid, std::int64_t byte) {
  const std::vector<std::size_t> parts = grid.parts_at(byte);
  std::vector<TextPair> lines = {{"Byte", format_count(byte)}};
  if (!parts.empty() && grid.parts()[parts.front()].rows > 0) {
    const BankGridPart& part = grid.parts()[parts.front()];
    std::int64_t first = byte;
    if (part.element_bytes > 1 && grid.element_at(parts.front(), byte)) {
      // A row and a column name an element: all of its bytes.
      first -= (byte - part.offset) % part.element_bytes;
      lines.front() = {"Bytes", format_count(first) + " to " + format_count(first + part.element_bytes - 1)};
    }
    lines.emplace_back("In " + part.name, "+ " + format_count(first - part.offset) + " B");
  }
  lines.emplace_back("Bank", std::to_string(byte / bank_word_bytes % grid_banks));
  for (std::size_t i = 1; i < parts.size(); ++i) lines.emplace_back("Also", part_words(grid, parts[i], byte));
  return lines;
}

std::string word_text(const BankGrid& grid, std::int64_t word) {
  const std::int32_t look = grid.look(word);
  if (look < 0) return "";
  const std::size_t index = BankGrid::part_of(look);
  const BankGridPart& part = grid.parts()[index];
  const std::int64_t first = std::max(word * bank_word_bytes, part.offset);
  if (part.rows == 0) return "+" + std::to_string(first - part.offset);
  std::optional<TilePlace> from, to;
  for (std::int64_t byte = first; byte < (word + 1) * bank_word_bytes; ++byte) {
    const std::optional<TilePlace> place = grid.element_at(index, byte);
    if (place && !from) from = place;
    if (place) to = place;
  }
  if (!from) return "";
  std::string text = std::to_string(from->row) + "," + std::to_string(from->column);
  if (to->row != from->row) {
    text += " " + std::to_string(to->row) + "," + std::to_string(to->column);
  } else if (to->column != from->column) {
    text += "-" + std::to_string(to->column);
  }
  return text;
}

std::string extent_words(const BankGridPart& part) {
  return part.rows == 0 ? "" : std::to_string(part.rows) + " x " + std::to_string(part.columns);
}

std::vector<TextPair> part_details(const BankGridPart& part) {
  std::vector<TextPair> lines = {{"Bytes", format_count(part.offset) + " to " + format_count(part.end() - 1)},
                                 {"Size", format_bytes(part.bytes)}};
  if (part.kind != BankGridPart::Kind::tile) lines.emplace_back("Kind", kind_words(part.kind));
  if (part.rows == 0) {
    if (part.kind == BankGridPart::Kind::tile) lines.emplace_back("Rows, columns", "not declared");
    return lines;
  }
  lines.emplace_back("Rows", format_count(part.rows));
  lines.emplace_back("Columns",
                     format_count(part.columns) + " of " + std::to_string(part.element_bytes) + " B");
  lines.emplace_back("Pitch", format_count(part.pitch) + " elements, " +
                                  format_count(part.pitch * part.element_bytes) + " B");
  lines.emplace_back("Padding", format_count(part.padding_bytes) + " B");
  return lines;
}

std::string undeclared_words(const BankGrid& grid) {
  const auto count = [&](auto matches) {
    return std::count_if(grid.parts().begin(), grid.parts().end(), matches);
  };
  if (count([](const BankGridPart& part) { return part.kind == BankGridPart::Kind::unnamed; }) > 0)
    return "This kernel declares no tiles: addresses only.";
  const auto tiles = count([](const BankGridPart& part) { return part.kind == BankGridPart::Kind::tile; });
  const auto bare =
      count([](const BankGridPart& part) { return part.kind == BankGridPart::Kind::tile && part.rows == 0; });
  if (bare == 0) return "";
  return bare == tiles ? "Rows and columns are not declared: tiles are shown by bytes."
                       : "Rows and columns of some tiles are not declared: they are shown by bytes.";
}

std::string bank_grid_csv(const BankGrid& grid) {
  CsvText csv;
  csv.add({"name", "kind", "offset [B]", "bytes", "rows", "columns", "element [B]", "pitch [elements]",
           "padding [B]"});
  for (const BankGridPart& part : grid.parts()) {
    std::vector<std::string> fields = {part.name, kind_words(part.kind), std::to_string(part.offset),
                                       std::to_string(part.bytes)};
    for (const std::int64_t value :
         {part.rows, part.columns, part.element_bytes, part.pitch, part.padding_bytes})
      fields.push_back(part.rows == 0 ? "" : std::to_string(value));
    csv.add(fields);
  }
  return csv.text();
}

}  // namespace tilescope
