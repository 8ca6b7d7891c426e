#include "base/typed_number.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace tilescope {
namespace {

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

}  // namespace

std::optional<std::uint64_t> whole_number_from(std::string_view text) {
  const bool has_leading_zero = text.size() > 1 && text.front() == '0';
  if (text.empty() || has_leading_zero || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  std::uint64_t number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  return number;
}

std::uint64_t whole_number_in(WholeRange range, std::string_view text) {
  const std::optional<std::uint64_t> number = whole_number_from(text);
  if (!number || *number < range.least || *number > range.most)
    throw std::invalid_argument("'" + std::string(text) + "' is not " + whole_number_words(range));
  return *number;
}

std::string whole_number_words(WholeRange range) {
  return "a whole number from " + std::to_string(range.least) + " to " + std::to_string(range.most) +
         ", written in decimal digits without a sign or leading zeros";
}

std::optional<double> decimal_from(std::string_view text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  if (text.size() > 1 && text.front() == '0' && is_digit(text[1])) return std::nullopt;
  double number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_whole_text = error == std::errc() && stopped == text.data() + text.size();
  if (!is_whole_text || !std::isfinite(number)) return std::nullopt;
  return number;
}

}  // namespace tilescope
