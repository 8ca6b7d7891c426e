#include "sessions/views/code/line_excerpt.hpp"

#include <algorithm>

#include "sessions/views/code/compiler_log.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

// The text of a line of the kernel's own file or of a header of it.
std::string line_in(const SourceFile& source, const std::string& file, int number) {
  if (file.empty() || file == source.name) return line_of(source.text, number);
  for (const auto& [name, header] : source.headers) {
    if (name.substr(name.find_last_of('/') + 1) == file) return line_of(header, number);
  }
  return "";
}

}  // namespace

std::string line_excerpt(const std::optional<SourceFile>& source, const std::string& file, std::int64_t line,
                         const std::string& inlined_place, std::size_t columns) {
  if (!source || line == 0) return "";
  std::string text;
  if (const auto inner = file_and_line(inlined_place))
    text = line_in(*source, inner->first, static_cast<int>(inner->second));
  if (text.empty()) text = line_in(*source, file, static_cast<int>(line));
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  if (text.size() > columns) text = text.substr(0, columns - 3) + "...";
  return text;
}

}  // namespace tilescope
