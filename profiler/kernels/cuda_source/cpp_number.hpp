#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilescope {

/// Number of C++ with the part of its type that decides what operators do with it: 5 / 2 is 2, 5 / 2.0f is 2.5.
class CppNumber {
 public:
  static CppNumber of_int(std::int64_t value);  ///< an int, or a long if it does not fit
  static CppNumber of_double(double value);
  static CppNumber of_bool(bool value) { return of_int(value ? 1 : 0); }
  static CppNumber of_size(std::int64_t value) { return integer(value, 64, false); }
  /// Reads a literal: 0x1F, 1'000u, 1.5f, 1e3. None if it is not one.
  static std::optional<CppNumber> from_literal(std::string_view literal);

  double value() const { return is_floating_ ? floating_ : static_cast<double>(integer_); }
  bool is_true() const { return value() != 0; }
  bool is_floating() const { return is_floating_; }
  /// "1048576", "0.5"
  std::string text() const;

  /// The number as a type, such as "const unsigned int": itself for a type that is not arithmetic, or not known. None
  /// where the type cannot hold it.
  std::optional<CppNumber> converted_to(std::string_view type) const;
  /// Result of -, +, ~ or !. None for another operator or an overflow.
  std::optional<CppNumber> after(std::string_view unary_operator) const;
  /// Result of a binary operator of numbers. None for another one, a division by 0 or an overflow.
  friend std::optional<CppNumber> combine(const CppNumber& left, std::string_view operation,
                                          const CppNumber& right);

 private:
  static CppNumber integer(std::int64_t value, int bits, bool is_signed);
  static std::optional<CppNumber> fitted(__int128 value, int bits, bool is_signed);
  static CppNumber floating(double value, bool is_single);

  bool is_floating_ = false;
  bool is_single_ = false;
  bool is_signed_ = true;
  int bits_ = 32;
  std::int64_t integer_ = 0;
  double floating_ = 0;
};

}  // namespace tilescope
