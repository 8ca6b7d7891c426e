#include "base/text/markdown.hpp"

#include <algorithm>
#include <cctype>

#include "base/text/visible_text.hpp"

namespace tilescope {

std::string markdown_escaped(const std::string& original) {
  const std::string text = visible_text(original);
  std::string escaped;
  const auto is_inside_word = [&](std::size_t i) {
    const auto is_letter = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    return i > 0 && is_letter(i - 1) && is_letter(i + 1);
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (letter == '_' && is_inside_word(i)) {  // BLOCK_M stays as it is; only _this_ is emphasis.
      escaped += letter;
      continue;
    }
    switch (letter) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '|':
      case '[':
      case ']':
      case '#':
      case '~':
        escaped += '\\';
        escaped += letter;
        break;
      case '\n':
      case '\t':
        escaped += ' ';
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

std::string markdown_code(const std::string& text) {
  const std::string shown = visible_line(text);
  std::size_t longest = 0, run = 0;
  for (const char letter : shown) {
    run = letter == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  const std::string space = longest > 0 ? " " : "";
  return fence + space + shown + space + fence;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + markdown_escaped(cell) + " |";
  return text + "\n";
}

std::string markdown_rule(const std::vector<bool>& is_number) {
  std::string text = "|";
  for (const bool is_right : is_number) text += is_right ? "---:|" : "---|";
  return text + "\n";
}

std::string markdown_table(const std::vector<std::string>& header,
                           const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> is_number(header.size(), true);
  if (!is_number.empty()) is_number.front() = false;
  std::string text = markdown_row(header) + markdown_rule(is_number);
  for (const std::vector<std::string>& row : rows) text += markdown_row(row);
  return text;
}

}  // namespace tilescope
