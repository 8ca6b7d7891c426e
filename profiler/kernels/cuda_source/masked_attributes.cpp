#include "profiler/kernels/cuda_source/masked_attributes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace tilescope {
namespace {

constexpr std::array<std::string_view, 5> attributes = {"__cluster_dims__", "__block_size__", "__maxnreg__",
                                                        "__align__", "__builtin_align__"};

bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// The end of a group of parentheses, or its begin if it is not closed within a short text.
std::size_t end_of_group(std::string_view text, std::size_t begin) {
  constexpr std::size_t max_length = 300;
  int depth = 0;
  for (std::size_t at = begin; at < text.size() && at < begin + max_length; ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return begin;
}

void mask(std::string& text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    std::size_t open = at + name.size();
    if ((at > 0 && is_name_letter(text[at - 1])) || (open < text.size() && is_name_letter(text[open])))
      continue;
    while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open]))) ++open;
    if (open >= text.size() || text[open] != '(') continue;
    const std::size_t end = end_of_group(text, open);
    if (end == open) continue;
    for (std::size_t i = at; i < end; ++i)
      if (text[i] != '\n') text[i] = ' ';
  }
}

/// Compilers join lines also where spaces follow the backslash; the grammar does not.
void move_backslashes_to_line_ends(std::string& text) {
  for (std::size_t at = text.find('\\'); at != std::string::npos; at = text.find('\\', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) ++end;
    if (end == at + 1 || end >= text.size() || text[end] != '\n') continue;
    std::swap(text[at], text[end - 1]);
    at = end;
  }
}

/// k < < < grid, block >>> (x), as formatters that do not know CUDA write a launch in a macro.
void join_launch_brackets(std::string& text) {
  constexpr std::string_view open = "< < <", close = "> > >";
  constexpr std::size_t longest_launch = 1000;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at + open.size())) {
    const std::size_t apart = text.find(close, at), end = std::min(apart, text.find(">>>", at));
    if (end == std::string::npos || end - at > longest_launch) continue;
    text.replace(at, open.size(), "<<<  ");
    if (end == apart) text.replace(end, close.size(), ">>>  ");
  }
}

struct TextLine {
  std::size_t begin = 0, end = 0;
};

// "ifdef" of "#  ifdef A"; "" for a line without a directive.
std::string_view directive_in(std::string_view line) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == std::string_view::npos || line[hash] != '#') return {};
  const std::size_t name = line.find_first_not_of(" \t", hash + 1);
  if (name == std::string_view::npos) return {};
  std::size_t end = name;
  while (end < line.size() && is_name_letter(line[end])) ++end;
  return line.substr(name, end - name);
}

bool continues_with_else(std::string_view text, std::size_t at) {
  constexpr std::string_view word = "else";
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  return text.substr(at).starts_with(word) &&
         (at + word.size() >= text.size() || !is_name_letter(text[at + word.size()]));
}

/// Around a branch of an if that is compiled in some builds alone, "#ifdef A", "else if ...", "#endif": the grammar ends
/// the if, and the function, before it.
void mask_directives_of_branches(std::string& text) {
  struct Open {
    TextLine line;
    bool has_branch = false;
  };
  std::vector<Open> open;
  const auto blank = [&text](const TextLine& line) {
    for (std::size_t i = line.begin; i < line.end; ++i) text[i] = ' ';
  };
  for (std::size_t at = 0; at < text.size();) {
    const TextLine line{at, std::min(text.find('\n', at), text.size())};
    at = line.end + 1;
    const std::string_view name =
        directive_in(std::string_view(text).substr(line.begin, line.end - line.begin));
    const bool is_continued = line.end > line.begin && text[line.end - 1] == '\\';
    if (name.starts_with("if")) {
      open.push_back({line, !is_continued && continues_with_else(text, at)});
    } else if (name.starts_with("el") && !open.empty()) {
      open.back().has_branch = false;
    } else if (name == "endif" && !open.empty()) {
      if (open.back().has_branch) {
        blank(open.back().line);
        blank(line);
      }
      open.pop_back();
    }
  }
}

}  // namespace

void mask_attributes(std::string& text) {
  move_backslashes_to_line_ends(text);
  mask_directives_of_branches(text);
  join_launch_brackets(text);
  for (const std::string_view name : attributes) mask(text, name);
}

}  // namespace tilescope
