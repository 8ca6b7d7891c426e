#include "profiler/views/memory/array_declaration.hpp"

#include <cctype>
#include <cstddef>
#include <cstdlib>

namespace tilescope {
namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// Operators that bind as "+" does or more strongly, which need no parentheses before it.
bool is_sum(const std::string& text) {
  for (const char letter : text) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (!is_word && std::string(" _:+-*/%().").find(letter) == std::string::npos) return false;
  }
  return true;
}

std::string last_size(const SourceTile& tile, std::int64_t added) {
  const std::string& size = tile.sizes.back();
  const std::int64_t more = tile.added_columns + added;
  if (more == 0) return size;
  if (is_number(size)) return std::to_string(tile.columns() + added);
  return (is_sum(size) ? size : "(" + size + ")") + (more > 0 ? " + " : " - ") +
         std::to_string(std::abs(more));
}

}  // namespace

std::string size_words(const SourceTile& tile, std::int64_t added) {
  return "[" + last_size(tile, added) + "]";
}

std::string declaration_words(const SourceTile& tile, std::int64_t added) {
  std::string words = tile.type + " " + tile.name;
  for (std::size_t i = 0; i < tile.sizes.size(); ++i)
    words += i + 1 == tile.sizes.size() ? size_words(tile, added) : "[" + tile.sizes[i] + "]";
  return words;
}

}  // namespace tilescope
