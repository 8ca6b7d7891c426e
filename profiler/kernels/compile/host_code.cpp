#include "profiler/kernels/compile/host_code.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tilescope {
namespace {

// Letters up to and with the backslash that joins a line with the next one, also where spaces follow it; 0 for none.
std::size_t end_of_continued(std::string_view line) {
  const std::size_t last = line.find_last_not_of(" \t\r\n");
  return last == std::string_view::npos || line[last] != '\\' ? 0 : last + 1;
}

// Whether a line belongs to a directive, asked line by line.
class Directives {
 public:
  bool has(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t");
    const bool is_directive = continues_ || (first != std::string_view::npos && line[first] == '#');
    continues_ = is_directive && end_of_continued(line) > 0;
    return is_directive;
  }

 private:
  bool continues_ = false;
};

}  // namespace

std::string without_lines(std::string_view text, const std::vector<LineRange>& ranges) {
  const auto count = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  std::vector<bool> is_left_out(count + 1);
  for (const LineRange& range : ranges)
    for (std::size_t line = range.first; line <= std::min(range.last, count); ++line)
      is_left_out[line] = true;
  std::string kept;
  Directives directives;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = text.substr(at, end - at);
    if (directives.has(line) || !is_left_out[number]) {
      const std::size_t continued = end_of_continued(line);
      kept += continued == 0 ? line : line.substr(0, continued);
      if (continued > 0 && line.ends_with('\n')) kept += '\n';
    } else if (line.ends_with('\n')) {
      kept += '\n';
    }
    at = end;
  }
  return kept;
}

std::string with_instantiations(std::string text, const std::vector<std::string>& kernels) {
  if (!kernels.empty() && !text.ends_with('\n')) text += '\n';
  for (std::size_t i = 0; i < kernels.size(); ++i)
    text += fmt::format("__device__ void* tilescope_kernel_{}() {{ return (void*)&{}; }}\n", i, kernels[i]);
  return text;
}

}  // namespace tilescope
