#include "sessions/views/code/source_excerpt.hpp"

#include <algorithm>

#include "sessions/views/code/compiler_log.hpp"

namespace tilescope {
namespace {

std::int64_t lines_in(const std::string& text) {
  const auto ends = std::count(text.begin(), text.end(), '\n');
  return ends + (text.empty() || text.back() == '\n' ? 0 : 1);
}

void remove_shared_indent(std::vector<SourceExcerpt::Line>& lines) {
  std::size_t indent = std::string::npos;
  for (const SourceExcerpt::Line& line : lines) {
    const std::size_t first = line.text.find_first_not_of(" \t");
    if (first != std::string::npos) indent = std::min(indent, first);
  }
  if (indent == std::string::npos) return;
  for (SourceExcerpt::Line& line : lines) line.text.erase(0, std::min(indent, line.text.size()));
}

}  // namespace

const std::string* find_text(const SourceFile& source, const std::string& file) {
  if (file.empty() || file == source.name) return &source.text;
  for (const auto& [path, text] : source.headers) {
    if (path.substr(path.find_last_of('/') + 1) == file) return &text;
  }
  return nullptr;
}

SourceExcerpt excerpt_of(const SourceFile& source, const std::string& file, std::int64_t line,
                         std::int64_t context) {
  SourceExcerpt excerpt{file.empty() ? source.name : file, {}};
  const std::string* text = find_text(source, file);
  if (text == nullptr) return excerpt;
  const std::int64_t total = lines_in(*text);
  if (line < 1 || line > total) return excerpt;
  for (std::int64_t number = std::max<std::int64_t>(1, line - context);
       number <= std::min(total, line + context); ++number) {
    excerpt.lines.push_back({number, line_of(*text, static_cast<int>(number)), number == line});
  }
  remove_shared_indent(excerpt.lines);
  return excerpt;
}

}  // namespace tilescope
