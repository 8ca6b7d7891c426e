#include "profiler/kernels/cuda_source/cpp_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "profiler/kernels/cuda_source/cpp_types.hpp"

namespace tilescope {

CppNumber CppNumber::integer(std::int64_t value, int bits, bool is_signed) {
  CppNumber number;
  number.integer_ = value;
  number.bits_ = bits;
  number.is_signed_ = is_signed;
  return number;
}

CppNumber CppNumber::floating(double value, bool is_single) {
  CppNumber number;
  number.is_floating_ = true;
  number.is_single_ = is_single;
  number.floating_ = is_single ? static_cast<double>(static_cast<float>(value)) : value;
  return number;
}

CppNumber CppNumber::of_int(std::int64_t value) {
  const bool is_int =
      value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  return integer(value, is_int ? 32 : 64, true);
}

CppNumber CppNumber::of_double(double value) {
  return floating(value, false);
}

/// An unsigned number wraps around; a signed one that overflows has no value in C++. Unsigned numbers from 2^63 have
/// none here.
std::optional<CppNumber> CppNumber::fitted(__int128 value, int bits, bool is_signed) {
  const __int128 range = static_cast<__int128>(1) << bits;
  if (is_signed) {
    if (value < -range / 2 || value >= range / 2) return std::nullopt;
  } else {
    value %= range;
    if (value < 0) value += range;
  }
  if (value > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return integer(static_cast<std::int64_t>(value), bits, is_signed);
}

std::string CppNumber::text() const {
  return is_floating_ ? fmt::format("{:.9g}", floating_) : std::to_string(integer_);
}

std::optional<CppNumber> CppNumber::from_literal(std::string_view literal) {
  std::string digits(literal);
  std::erase(digits, '\'');
  std::transform(digits.begin(), digits.end(), digits.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  const bool is_hexadecimal = digits.starts_with("0x"), is_binary = digits.starts_with("0b");
  const char* end = digits.data() + digits.size();
  if (!is_hexadecimal && !is_binary && digits.find_first_of(".ef") != std::string::npos) {
    double value = 0;
    const auto read = std::from_chars(digits.data(), end, value);
    if (read.ec != std::errc()) return std::nullopt;
    return floating(value, std::string_view(read.ptr, end).starts_with('f'));
  }
  const bool is_octal = !is_hexadecimal && !is_binary && digits.size() > 1 && digits[0] == '0';
  const int base = is_hexadecimal ? 16 : is_binary ? 2 : is_octal ? 8 : 10;
  std::int64_t value = 0;
  const auto read = std::from_chars(digits.data() + (is_hexadecimal || is_binary ? 2 : 0), end, value, base);
  const std::string_view suffix(read.ptr, static_cast<std::size_t>(end - read.ptr));
  if (read.ec != std::errc() || suffix.find_first_not_of("ulz") != std::string_view::npos)
    return std::nullopt;
  const bool is_long = suffix.find_first_of("lz") != std::string_view::npos ||
                       value > std::numeric_limits<std::int32_t>::max();
  return integer(value, is_long ? 64 : 32, suffix.find('u') == std::string_view::npos);
}

std::optional<CppNumber> CppNumber::converted_to(std::string_view type) const {
  const std::optional<ArithmeticType> wanted = arithmetic_type(type);
  if (!wanted) return *this;
  if (wanted->is_floating) return floating(value(), wanted->bits == 32);
  if (wanted->is_bool) return of_bool(is_true());
  if (!is_floating_) {
    // A cast of a signed number wraps around too, since C++20.
    const auto wrapped = fitted(integer_, wanted->bits, false);
    if (!wrapped || !wanted->is_signed) return wrapped;
    const std::int64_t end = wanted->bits < 64 ? std::int64_t{1} << (wanted->bits - 1) : 0;
    const bool is_negative = end > 0 && wrapped->integer_ >= end;
    return integer(is_negative ? wrapped->integer_ - 2 * end : wrapped->integer_, wanted->bits, true);
  }
  constexpr double largest = 9.2e18;
  if (!(std::abs(floating_) < largest)) return std::nullopt;
  return fitted(static_cast<__int128>(floating_), wanted->bits, wanted->is_signed);
}

std::optional<CppNumber> CppNumber::after(std::string_view unary_operator) const {
  if (unary_operator == "!") return of_bool(!is_true());
  if (unary_operator == "+") return *this;
  if (unary_operator == "-") {
    if (is_floating_) return floating(-floating_, is_single_);
    return fitted(-static_cast<__int128>(integer_), bits_, is_signed_);
  }
  if (unary_operator == "~" && !is_floating_)
    return fitted(~static_cast<__int128>(integer_), bits_, is_signed_);
  return std::nullopt;
}

namespace {

std::optional<bool> compare(double left, std::string_view operation, double right) {
  if (operation == "<") return left < right;
  if (operation == "<=") return left <= right;
  if (operation == ">") return left > right;
  if (operation == ">=") return left >= right;
  if (operation == "==") return left == right;
  if (operation == "!=") return left != right;
  if (operation == "&&") return left != 0 && right != 0;
  if (operation == "||") return left != 0 || right != 0;
  return std::nullopt;
}

std::optional<double> combine_floating(double left, char operation, double right) {
  switch (operation) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right != 0 ? std::optional(left / right) : std::nullopt;
    default:
      return std::nullopt;
  }
}

std::optional<__int128> combine_integers(__int128 left, char operation, __int128 right) {
  switch (operation) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right != 0 ? std::optional(left / right) : std::nullopt;
    case '%':
      return right != 0 ? std::optional(left % right) : std::nullopt;
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<CppNumber> combine(const CppNumber& left, std::string_view operation, const CppNumber& right) {
  if (const auto truth = compare(left.value(), operation, right.value())) return CppNumber::of_bool(*truth);
  if (operation.empty()) return std::nullopt;
  if (left.is_floating_ || right.is_floating_) {
    const auto is_narrow = [](const CppNumber& number) { return number.is_single_ || !number.is_floating_; };
    const auto result =
        operation.size() == 1 ? combine_floating(left.value(), operation[0], right.value()) : std::nullopt;
    if (!result || !std::isfinite(*result)) return std::nullopt;
    return CppNumber::floating(*result, is_narrow(left) && is_narrow(right));
  }
  const int left_bits = std::max(left.bits_, 32), right_bits = std::max(right.bits_, 32);
  if (operation == "<<" || operation == ">>") {
    if (right.integer_ < 0 || right.integer_ >= left_bits) return std::nullopt;
    const __int128 wide = left.integer_;
    return CppNumber::fitted(operation == "<<" ? wide << right.integer_ : wide >> right.integer_, left_bits,
                             left.is_signed_ || left.bits_ < 32);
  }
  if (operation.size() != 1) return std::nullopt;
  const int bits = std::max(left_bits, right_bits);
  const bool is_unsigned =
      (left.bits_ == bits && !left.is_signed_) || (right.bits_ == bits && !right.is_signed_);
  const auto operand = [&](const CppNumber& number) -> __int128 {
    return is_unsigned && number.integer_ < 0 ? number.integer_ + (static_cast<__int128>(1) << bits)
                                              : number.integer_;
  };
  const auto result = combine_integers(operand(left), operation[0], operand(right));
  return result ? CppNumber::fitted(*result, bits, !is_unsigned) : std::nullopt;
}

}  // namespace tilescope
