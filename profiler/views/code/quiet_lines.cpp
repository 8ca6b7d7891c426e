#include "profiler/views/code/quiet_lines.hpp"

#include <string_view>

namespace tilescope {
namespace {

std::string_view without_indent(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : line.substr(first);
}

/// Whether a line is a comment and nothing else. `inside`: it begins within /* */, which the line may end.
bool is_comment(std::string_view line, bool& inside) {
  line = without_indent(line);
  bool has_comment = inside;
  while (!line.empty()) {
    if (inside) {
      const std::size_t end = line.find("*/");
      if (end == std::string_view::npos) return true;
      inside = false;
      line = without_indent(line.substr(end + 2));
    } else if (line.starts_with("//")) {
      return true;
    } else if (line.starts_with("/*")) {
      inside = has_comment = true;
      line = line.substr(2);
    } else {
      // Code. A comment that it opens goes on in the next line.
      const std::size_t opens = line.rfind("/*");
      const std::size_t slashes = line.find("//");
      inside = opens != std::string_view::npos && line.find("*/", opens) == std::string_view::npos &&
               (slashes == std::string_view::npos || slashes > opens);
      return false;
    }
  }
  return has_comment;
}

}  // namespace

std::vector<bool> quiet_lines(CodeColumn column, const std::vector<std::string>& lines) {
  std::vector<bool> quiet(lines.size());
  bool inside = false;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const std::string_view text = without_indent(lines[row]);
    switch (column) {
      case CodeColumn::cuda:
        quiet[row] = is_comment(text, inside);
        break;
      case CodeColumn::ptx:
        quiet[row] = text.starts_with("//") || text.starts_with('.');
        break;
      case CodeColumn::sass:
        quiet[row] = text == "NOP";
        break;
    }
  }
  return quiet;
}

}  // namespace tilescope
