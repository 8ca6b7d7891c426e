#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tilescope::simt {

/// A comparison as one of the base comparisons that vectors have, with its operands swapped or its result inverted
/// where needed: "ltu" of floating-point numbers is not (b <= a), true for NaN.
enum class BaseComparison : std::uint8_t { equal, less, less_or_equal, less_or_greater, numbers };
struct Comparison {
  BaseComparison base = BaseComparison::equal;
  bool swapped = false;
  bool inverted = false;
};

/// By the names of PTX; machine code writes them in capitals.
struct NamedComparison {
  std::string_view name;
  /// And of integers.
  Comparison of_numbers;
  bool for_integers = true;
};
/// Comparisons by their base comparison: not (b < a) is a <= b for integers, and leu for floating-point numbers.
inline constexpr std::array comparisons = {
    NamedComparison{"eq", {BaseComparison::equal, false, false}},
    NamedComparison{"lt", {BaseComparison::less, false, false}},
    NamedComparison{"le", {BaseComparison::less_or_equal, false, false}},
    NamedComparison{"gt", {BaseComparison::less, true, false}},
    NamedComparison{"ge", {BaseComparison::less_or_equal, true, false}},
    NamedComparison{"ne", {BaseComparison::less_or_greater, false, false}},
    NamedComparison{"equ", {BaseComparison::less_or_greater, false, true}, false},
    NamedComparison{"neu", {BaseComparison::equal, false, true}, false},
    NamedComparison{"ltu", {BaseComparison::less_or_equal, true, true}, false},
    NamedComparison{"leu", {BaseComparison::less, true, true}, false},
    NamedComparison{"gtu", {BaseComparison::less_or_equal, false, true}, false},
    NamedComparison{"geu", {BaseComparison::less, false, true}, false},
    NamedComparison{"num", {BaseComparison::numbers, false, false}, false},
    NamedComparison{"nan", {BaseComparison::numbers, false, true}, false},
};

/// How setp and set combine their comparison with a predicate.
enum class Combination : std::uint8_t { none, with_and, with_or, with_xor };

/// Instruction::flags of setp and set.
inline constexpr std::uint8_t inverted_flag = 1, negated_predicate_flag = 2, combination_shift = 2;

}  // namespace tilescope::simt
