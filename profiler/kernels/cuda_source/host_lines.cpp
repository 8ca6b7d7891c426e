#include <algorithm>
#include <cctype>
#include <string_view>

#include "profiler/kernels/cuda_source/source_tree.hpp"

namespace tilescope {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
  };
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) return true;
  return false;
}

// Functions that are constant expressions are called by device code as well; a kernel within a function is a sign that
// the parser went astray.
bool is_for_device(const std::vector<std::string_view>& lines, const SourceFunction& function,
                   const std::vector<std::string>& device_macros) {
  bool is_behind_head = false;
  for (int number = function.first_line;
       number <= function.last_line && static_cast<std::size_t>(number) <= lines.size(); ++number) {
    const std::string_view line = lines[static_cast<std::size_t>(number) - 1];
    if (has_word(line, "__global__")) return true;
    if (is_behind_head) continue;
    const std::string_view head = line.substr(0, line.find('{'));
    if (has_word(head, "constexpr") ||
        std::ranges::any_of(device_macros, [&](const std::string& macro) { return has_word(head, macro); }))
      return true;
    is_behind_head = head.size() < line.size();
  }
  return false;
}

}  // namespace

std::vector<SourceLines> host_lines(const std::string& text, const CudaSource& source,
                                    const std::vector<std::string>& device_macros) {
  std::vector<SourceLines> host;
  const std::vector<std::string_view> lines = lines_of(text);
  for (const SourceFunction& function : source.host_functions())
    if (!is_for_device(lines, function, device_macros))
      host.push_back({function.first_line, function.last_line});
  for (const SourceFunction& declaration : source.host_declarations())
    if (!is_for_device(lines, declaration, device_macros))
      host.push_back({declaration.first_line, declaration.last_line});
  return host;
}

}  // namespace tilescope
