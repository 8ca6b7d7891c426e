#include "profiler/kernels/cuda_source/masked_attributes.hpp"

#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

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

}  // namespace

void mask_attributes(std::string& text) {
  move_backslashes_to_line_ends(text);
  for (const std::string_view name : attributes) mask(text, name);
}

}  // namespace tilescope
