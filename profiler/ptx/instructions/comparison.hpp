#pragma once

#include <cstdint>

#include "profiler/ptx/instructions/forms.hpp"

namespace tilescope::ptx {

/// A comparison as the base that vectors compute, perhaps with its operands swapped, perhaps inverted: of floating-point
/// numbers "ltu" is not (b <= a), true for NaN.
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

/// Takes the comparison's name; unsupported when it is none of the type.
Comparison take_comparison(Decoder& decoder, Type type);

/// setp of f16, bf16 and their packed types, and set of any, are rarer and look at their instruction when they run
/// (slow_compare.cpp): Instruction::type is that of the sources, `count` the base, `immediate` what is true in a lane of
/// set, and `width` is 1 for .ftz.
Handler slow_setp();
/// Chooses the handler of set and writes its result.
void decode_set_result(Decoder& decoder, Instruction& instruction, Type result, Type source);
void decode_select(Decoder& decoder, Instruction& instruction);          // selp (select.cpp)
void decode_select_by_sign(Decoder& decoder, Instruction& instruction);  // slct

}  // namespace tilescope::ptx
