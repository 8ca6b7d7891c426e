#include "profiler/measure/open/template_arguments.hpp"

#include <cctype>
#include <cstddef>
#include <vector>

namespace tilescope {
namespace {

std::vector<std::string> split_arguments(const std::string& folded) {
  std::vector<std::string> all(1);
  for (const char letter : folded) {
    if (letter == ',')
      all.emplace_back();
    else
      all.back() += letter;
  }
  return all;
}

}  // namespace

std::string template_arguments_of(const std::string& demangled) {
  const std::string head = demangled.substr(0, demangled.rfind('('));
  const std::size_t begin = head.find('<');
  if (begin == std::string::npos || !head.ends_with('>')) return "";
  return head.substr(begin + 1, head.size() - begin - 2);
}

std::string folded_arguments(std::string_view arguments) {
  std::string text;
  int cast = 0;
  bool is_number = true;
  for (const char letter : arguments) {
    cast += letter == '(' ? 1 : 0;
    const bool is_suffix = is_number && !text.empty() && text.back() != ',' &&
                           std::string_view("uUlL").find(letter) != std::string_view::npos;
    if (cast == 0 && letter != ' ' && !is_suffix) {
      text += letter;
      const bool is_digit = std::isdigit(static_cast<unsigned char>(letter)) != 0 || letter == '-';
      is_number = letter == ',' || (is_number && is_digit);
    }
    cast -= letter == ')' ? 1 : 0;
  }
  return text;
}

bool have_equal_numbers(const std::string& a, const std::string& b) {
  const std::vector<std::string> left = split_arguments(a), right = split_arguments(b);
  if (left.size() != right.size()) return false;
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
  };
  bool has_number = false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (!is_number(left[i]) || !is_number(right[i])) continue;
    if (left[i] != right[i]) return false;
    has_number = true;
  }
  return has_number;
}

}  // namespace tilescope
