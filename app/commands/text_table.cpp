#include "app/commands/text_table.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include "app/commands/shown_text.hpp"

namespace tilescope {
namespace {

/// Characters, not bytes: UTF-8 continues a character with bytes of the form 10xxxxxx. Colours (ESC [ ... m) take no
/// room.
std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  bool is_color = false;
  for (const char byte : text) {
    const bool starts_color = byte == '\033';
    if (!is_color && !starts_color && (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U) ++width;
    is_color = starts_color || (is_color && byte != 'm');
  }
  return width;
}

/// A text without line breaks.
std::string wrapped_line(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  std::size_t used = 0;
  for (std::string word; words >> word;) {
    if (used > 0 && used + 1 + width_of(word) > width) {
      lines += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (used > 0) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += width_of(word);
  }
  return lines;
}

}  // namespace

void TextTable::add_column(std::string header, Align align) {
  columns_.push_back({shown_line(header), align});
}

void TextTable::add_row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = shown_line(cell);
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    std::size_t width = width_of(columns_[column].header);
    for (const auto& row : rows_) width = std::max(width, width_of(row[column]));
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](const auto& cell_of) {
    std::string line(indent, ' ');
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::string& cell = cell_of(column);
      const std::string filler(widths[column] - width_of(cell), ' ');
      if (column > 0) line += "  ";
      line += columns_[column].align == Align::right ? filler + cell : cell + filler;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t column) -> const std::string& { return columns_[column].header; });
  for (const auto& row : rows_) {
    add_line([&](std::size_t column) -> const std::string& { return row[column]; });
  }
  return text;
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::istringstream lines(text);
  std::string result;
  bool is_first = true;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    if (!is_first) result += "\n" + std::string(indent + blanks, ' ');
    result += wrapped_line(line, width - blanks, indent + blanks);
    is_first = false;
  }
  return result;
}

}  // namespace tilescope
