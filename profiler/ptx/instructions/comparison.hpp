#pragma once

#include <cstdint>

#include "profiler/ptx/instructions/forms.hpp"

namespace tilescope::ptx {

/// A comparison as one of the base comparisons that vectors have, with its operands swapped or its result inverted
/// where needed: "ltu" of floating-point numbers is not (b <= a), true for NaN.
enum class BaseComparison : std::uint8_t { equal, less, less_or_equal, less_or_greater, numbers };
struct Comparison {
  BaseComparison base = BaseComparison::equal;
  bool swapped = false;
  bool inverted = false;
};

/// How setp and set combine their comparison with a predicate.
enum class Combination : std::uint8_t { none, with_and, with_or, with_xor };

/// Instruction::flags of setp and set.
inline constexpr std::uint8_t inverted_flag = 1, negated_predicate_flag = 2, combination_shift = 2;

/// Consumes the comparison's name; unsupported when the type does not have it.
Comparison take_comparison(Decoder& decoder, Type type);

/// setp of f16, bf16 and their packed types, and set of any type, are rarer and read their instruction when they run
/// (slow_compare.cpp): Instruction::type is the type of the sources, `count` the base comparison, `immediate` the value
/// for true in a lane of set, and `width` is 1 for .ftz.
Handler slow_setp();
/// Chooses the handler of set and writes its result.
void decode_set_result(Decoder& decoder, Instruction& instruction, Type result, Type source);
void decode_select(Decoder& decoder, Instruction& instruction);          // selp (select.cpp)
void decode_select_by_sign(Decoder& decoder, Instruction& instruction);  // slct

}  // namespace tilescope::ptx
