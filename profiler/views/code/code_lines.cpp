#include "profiler/views/code/code_lines.hpp"

#include <algorithm>
#include <cstddef>

namespace tilescope {
namespace {

constexpr std::size_t tab_width = 4;

}  // namespace

std::vector<std::string> code_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string& line = lines.emplace_back();
    for (std::size_t i = begin; i < end; ++i) {
      if (text[i] == '\r') continue;
      line.append(text[i] == '\t' ? tab_width - line.size() % tab_width : 1, text[i] == '\t' ? ' ' : text[i]);
    }
    begin = end + 1;
  }
  return lines;
}

}  // namespace tilescope
