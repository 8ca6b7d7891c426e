#include "base/text/search.hpp"

#include <algorithm>
#include <cctype>

namespace tilescope {

std::size_t find_in_line(std::string_view line, std::string_view text, std::size_t from) {
  if (text.empty() || from > line.size()) return std::string_view::npos;
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  const auto begin = line.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found = std::search(begin, line.end(), text.begin(), text.end(), same);
  return found == line.end() ? std::string_view::npos : static_cast<std::size_t>(found - line.begin());
}

std::vector<std::uint32_t> find_rows(const std::vector<std::string>& lines, std::string_view text) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < lines.size(); ++row) {
    for (std::size_t at = find_in_line(lines[row], text); at != std::string_view::npos;
         at = find_in_line(lines[row], text, at + text.size()))
      rows.push_back(row);
  }
  return rows;
}

}  // namespace tilescope
