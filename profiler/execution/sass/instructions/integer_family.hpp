#pragma once

#include "profiler/execution/sass/decoder.hpp"

/// The decoders of the integer instructions, a file for each group; integer.cpp lists their opcodes.
/// Instructions on uniform registers (UIADD3 ...) are the same ones with other operands.
namespace tilescope::sass {

/// The handlers of IADD3, the frequent ones apart.
enum class AddForm : std::uint8_t { two, three, difference, difference_of_three, carry_out, carry_in, any };

/// The handlers of IMAD. copy: c; add, subtract: a + c, a - c.
enum class MultiplyForm : std::uint8_t {
  copy,
  add,
  subtract,
  shift_add,
  product,
  product_add,
  product_subtract,
  product_carry,
  wide,
  wide_add,
  wide_carry,
  high,
  high_carry,
};

/// Handlers of IMNMX and its kin: minimum (PT) or maximum (!PT) of two values, chosen by a predicate of two
/// or of three, and of a sum and a value.
enum class MinmaxKind : std::uint8_t { minimum, maximum, two, three, sum_and_other };

/// Handlers of ISETP: without another predicate, likewise inverted, combined with others, .EX, and for T
/// and F.
enum class CompareForm : std::uint8_t { alone, inverted_alone, combined, high, nothing };

/// The handlers of LEA and SHF by a constant, the frequent ones apart.
enum class ScaledAddForm : std::uint8_t { low, low_carry, high, any };
enum class ShiftForm : std::uint8_t { left, right, right_signed };

/// An instruction whose result is a uniform register or predicate acts for all lanes at once.
inline void act_uniformly(const Decoder& decoder, simt::Instruction& instruction) {
  if (decoder.is_uniform()) instruction.flow = simt::Flow::uniform;
}

inline bool is_predicate_operand(const Decoder& decoder, std::size_t index) {
  return decoder.is(index, Operand::Kind::predicate) || decoder.is(index, Operand::Kind::uniform_predicate);
}

/// IADD3 d, [p, [q,]] a, b, c [, x, y]
void decode_add3(Decoder& decoder, simt::Instruction& instruction);
/// VIADD d, a, b
void decode_vector_add(Decoder& decoder, simt::Instruction& instruction);
/// IABS d, a
void decode_absolute(Decoder& decoder, simt::Instruction& instruction);
/// VABSDIFF, VABSDIFF4: d = |a - b| + c
void decode_difference(Decoder& decoder, simt::Instruction& instruction);

/// IMAD d, [p,] a, b, c [, x]
void decode_multiply_add(Decoder& decoder, simt::Instruction& instruction);
/// IDP.4A, IDP.2A: the dot product of bytes
void decode_dot_product(Decoder& decoder, simt::Instruction& instruction);

/// IMNMX, VIMNMX d, a, b, p: the minimum where p is true
void decode_minmax(Decoder& decoder, simt::Instruction& instruction);
/// VIMNMX3 d, a, b, c, p
void decode_minmax3(Decoder& decoder, simt::Instruction& instruction);
/// VIADDMNMX d, a, b, c, p: the minimum of a + b and c
void decode_add_minmax(Decoder& decoder, simt::Instruction& instruction);

/// ISETP p, q, a, b, x [, low]
void decode_compare(Decoder& decoder, simt::Instruction& instruction);

/// LEA d, [p,] a, b, [c,] shift [, x]
void decode_scaled_add(Decoder& decoder, simt::Instruction& instruction);
/// SHF d, a, shift, c
void decode_funnel_shift(Decoder& decoder, simt::Instruction& instruction);

}  // namespace tilescope::sass
