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

// Counts braces line by line, without comments and texts, and in the first branch of an #if alone.
class OpenBraces {
 public:
  void take(std::string_view line) {
    if (is_directive(line)) return;
    if (!is_counted()) return;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (is_in_comment_) {
        is_in_comment_ = line.substr(at, 2) != "*/";
        at += is_in_comment_ ? 0 : 1;
      } else if (line.substr(at, 2) == "//") {
        return;
      } else if (line.substr(at, 2) == "/*") {
        is_in_comment_ = true;
        ++at;
      } else if (line[at] == '"' || line[at] == '\'') {
        at = end_of_text(line, at);
      } else {
        count_ += line[at] == '{' ? 1 : line[at] == '}' ? -1 : 0;
      }
    }
  }
  int count() const { return count_; }

 private:
  static std::size_t end_of_text(std::string_view line, std::size_t begin) {
    std::size_t at = begin + 1;
    while (at < line.size() && line[at] != line[begin]) at += line[at] == '\\' ? 2 : 1;
    return at;
  }
  bool is_counted() const {
    return std::ranges::none_of(is_behind_else_, [](bool is_behind) { return is_behind; });
  }
  bool is_directive(std::string_view line) {
    const std::size_t hash = line.find_first_not_of(" \t");
    if (is_in_comment_ || hash == std::string_view::npos || line[hash] != '#') return false;
    const std::size_t name = line.find_first_not_of(" \t", hash + 1);
    const std::string_view word = name == std::string_view::npos ? "" : line.substr(name);
    if (word.starts_with("if")) is_behind_else_.push_back(false);
    if (word.starts_with("el") && !is_behind_else_.empty()) is_behind_else_.back() = true;
    if (word.starts_with("endif") && !is_behind_else_.empty()) is_behind_else_.pop_back();
    return true;
  }

  int count_ = 0;
  bool is_in_comment_ = false;
  std::vector<bool> is_behind_else_;
};

// The parser ends a function too early where an #if stands between the branches of an if: its lines go on to the brace that
// closes it.
int closing_line(const std::vector<std::string_view>& lines, const SourceFunction& function) {
  OpenBraces braces;
  for (auto number = static_cast<std::size_t>(function.first_line); number <= lines.size(); ++number) {
    const std::string_view line = lines[number - 1];
    const bool is_behind = static_cast<int>(number) > function.last_line;
    if (is_behind && (has_word(line, "__global__") || has_word(line, "__device__"))) break;
    braces.take(line);
    if (static_cast<int>(number) >= function.last_line && braces.count() <= 0)
      return static_cast<int>(number);
  }
  return function.last_line;
}

}  // namespace

std::vector<SourceLines> host_lines(const std::string& text, const CudaSource& source,
                                    const std::vector<std::string>& device_macros) {
  std::vector<SourceLines> host;
  const std::vector<std::string_view> lines = lines_of(text);
  for (const SourceFunction& function : source.host_functions())
    if (!is_for_device(lines, function, device_macros))
      host.push_back({function.first_line, closing_line(lines, function)});
  for (const SourceFunction& declaration : source.host_declarations())
    if (!is_for_device(lines, declaration, device_macros))
      host.push_back({declaration.first_line, declaration.last_line});
  return host;
}

}  // namespace tilescope
