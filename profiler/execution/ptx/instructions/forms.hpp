#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiler/execution/ptx/decoder.hpp"
#include "profiler/execution/simt/lanes/float_form.hpp"

/// Shared by the decoders of the arithmetic families.
namespace tilescope::ptx {

/// The type at the end of an instruction such as "add.rn.ftz.f32", not consumed; Type::none when it does not end with a
/// type.
inline Type last_type(const Decoder& decoder) {
  return type_named(decoder.syntax().words.back());
}

inline Rounding take_rounding(Decoder& decoder) {
  if (decoder.take("rn")) return Rounding::nearest_even;
  if (decoder.take("rz")) return Rounding::toward_zero;
  if (decoder.take("rm")) return Rounding::down;
  if (decoder.take("rp")) return Rounding::up;
  return Rounding::nearest_even;
}

inline void set_form(Instruction& instruction, const FloatForm& form) {
  instruction.flags = static_cast<std::uint8_t>(
      (form.flush ? flush_flag : 0) | (form.saturate ? saturate_flag : 0) | (form.relu ? relu_flag : 0));
  instruction.width = static_cast<std::uint8_t>(form.rounding);
}

/// d and up to three inputs, all of the types given.
inline void decode_operands(Decoder& decoder, Instruction& instruction, Type result, Type a) {
  instruction.d = decoder.write(0, result);
  instruction.a = decoder.read(1, a);
}
inline void decode_operands(Decoder& decoder, Instruction& instruction, Type result, Type a, Type b) {
  decode_operands(decoder, instruction, result, a);
  instruction.b = decoder.read(2, b);
}
inline void decode_operands(Decoder& decoder, Instruction& instruction, Type result, Type a, Type b, Type c) {
  decode_operands(decoder, instruction, result, a, b);
  instruction.c = decoder.read(3, c);
}

/// Floating forms of opcodes that integer arithmetic has too (floating.cpp, half.cpp, float_minmax.cpp).
void decode_float_arithmetic(Decoder& decoder, Instruction& instruction);
void decode_float_division(Decoder& decoder, Instruction& instruction);
void decode_float_minmax(Decoder& decoder, Instruction& instruction);
void decode_float_sign(Decoder& decoder, Instruction& instruction);
void decode_float_test(Decoder& decoder, Instruction& instruction);      // testp
void decode_transcendental(Decoder& decoder, Instruction& instruction);  // rsqrt sin cos lg2 ex2 tanh
Handler directed_double(std::string_view opcode);  // the same of f64 alone; div rcp sqrt too
/// add, sub, mul and fma of f32 or f64, rounded as Instruction::width says, with Instruction::flags
/// (float_rounding.cpp).
Handler directed_arithmetic(std::string_view opcode, Type type);
/// f16, f16x2, bf16 and bf16x2 forms of add sub mul fma, min max, abs neg, ex2 tanh.
void decode_half(Decoder& decoder, Instruction& instruction);

/// Integer forms in files of their own.
void decode_carry(Decoder& decoder, Instruction& instruction);  // add.cc addc sub.cc subc mad.cc madc
void decode_integer_division(Decoder& decoder, Instruction& instruction);  // div rem
void decode_dot(Decoder& decoder, Instruction& instruction);               // dp4a dp2a

/// Bits (bit_fields.cpp).
void decode_bit_field(Decoder& decoder, Instruction& instruction);  // bfe bfi
void decode_permute(Decoder& decoder, Instruction& instruction);    // prmt
void decode_bit_count(Decoder& decoder, Instruction& instruction);  // popc clz bfind brev
void decode_find_nth(Decoder& decoder, Instruction& instruction);   // fns
void decode_bit_mask(Decoder& decoder, Instruction& instruction);   // bmsk szext

/// mov of a whole vector (vector_move.cpp).
void decode_vector_move(Decoder& decoder, Instruction& instruction, std::size_t count);

/// Addresses (address_conversion.cpp).
void decode_address_conversion(Decoder& decoder, Instruction& instruction);  // cvta
void decode_space_test(Decoder& decoder, Instruction& instruction);          // isspacep

constexpr bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

}  // namespace tilescope::ptx
