#include "sessions/views/markdown_table.hpp"

namespace tilescope {
namespace {

// A pipe would end the cell.
std::string cell_text(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell_text(cell) + " |";
  return text + "\n";
}

std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows) {
  std::string text = markdown_row(header) + "|---|";
  for (std::size_t i = 1; i < header.size(); ++i) text += "---:|";
  text += "\n";
  for (const std::vector<std::string>& row : rows) text += markdown_row(row);
  return text;
}

}  // namespace tilescope
