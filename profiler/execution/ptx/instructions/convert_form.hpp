#pragma once

#include <cstdint>

#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/simt/lanes/conversion_form.hpp"

namespace tilescope::ptx {

/// A cvt as written. The slow handler reads it from the instruction: see keep_form.
struct ConvertForm {
  Type result = Type::none, source = Type::none;
  /// [B] Size of a lane of the registers, which may be wider than integer types: 2, 4 or 8.
  int result_bytes = 0, source_bytes = 0;
  Rounding rounding = Rounding::nearest_even;
  /// .rni .rzi .rmi .rpi: to an integral value.
  bool to_integer = false;
  /// .rna
  bool ties_away = false;
  bool flush = false, saturate = false, relu = false;
  /// .satfinite: a value that is too large becomes the greatest finite number.
  bool finite = false;
};
inline constexpr std::uint8_t finite_flag = 8;

inline void keep_form(Instruction& instruction, const ConvertForm& form) {
  instruction.type = static_cast<std::uint8_t>(form.result);
  instruction.count = static_cast<std::uint8_t>(form.source);
  instruction.width = static_cast<std::uint8_t>(static_cast<int>(form.rounding) | (form.to_integer ? 4 : 0) |
                                                (form.ties_away ? 8 : 0));
  instruction.flags =
      static_cast<std::uint8_t>((form.flush ? flush_flag : 0) | (form.saturate ? saturate_flag : 0) |
                                (form.relu ? relu_flag : 0) | (form.finite ? finite_flag : 0));
  instruction.immediate = form.result_bytes | form.source_bytes << 8;
}
inline ConvertForm form_of(const Instruction& instruction) {
  ConvertForm form;
  form.result = static_cast<Type>(instruction.type);
  form.source = static_cast<Type>(instruction.count);
  form.rounding = static_cast<Rounding>(instruction.width & 3);
  form.to_integer = (instruction.width & 4) != 0;
  form.ties_away = (instruction.width & 8) != 0;
  form.flush = (instruction.flags & flush_flag) != 0;
  form.saturate = (instruction.flags & saturate_flag) != 0;
  form.relu = (instruction.flags & relu_flag) != 0;
  form.finite = (instruction.flags & finite_flag) != 0;
  form.result_bytes = static_cast<int>(instruction.immediate & 0xff);
  form.source_bytes = static_cast<int>(instruction.immediate >> 8);
  return form;
}

constexpr simt::Number number_of_type(Type type) {
  switch (type) {
    case Type::u8:
      return simt::Number::u8;
    case Type::s8:
      return simt::Number::s8;
    case Type::u16:
      return simt::Number::u16;
    case Type::s16:
      return simt::Number::s16;
    case Type::u32:
      return simt::Number::u32;
    case Type::s32:
      return simt::Number::s32;
    case Type::u64:
      return simt::Number::u64;
    case Type::s64:
      return simt::Number::s64;
    case Type::f16:
      return simt::Number::f16;
    case Type::bf16:
      return simt::Number::bf16;
    case Type::tf32:
      return simt::Number::tf32;
    case Type::f32:
      return simt::Number::f32;
    default:
      return simt::Number::f64;
  }
}

/// Converts a single number. A NaN becomes 0, but from f64 or to 64 bits the bits of the lowest signed number (PTX ISA,
/// "cvt").
inline simt::Conversion conversion_of(const ConvertForm& form) {
  return {.result = number_of_type(form.result),
          .source = number_of_type(form.source),
          .rounding = form.rounding,
          .to_integer = form.to_integer,
          .ties_away = form.ties_away,
          .flush = form.flush,
          .saturate = form.saturate,
          .relu = form.relu,
          .finite = form.finite,
          .nan_is_zero = form.source != Type::f64 && size_of(form.result) != 8};
}

/// The handler of any cvt of one source to one result: lane after lane, by its form (convert_any.cpp).
Handler any_conversion();
/// The handler of any cvt of two .f32 to a pair of halves, the first in the upper half.
Handler any_pair_conversion();

/// cvt to and from pairs of 8-bit floats (convert_fp8.cpp). Returns false and consumes nothing for other types.
bool decode_fp8_conversion(Decoder& decoder, Instruction& instruction);
void decode_convert_pack(Decoder& decoder, Instruction& instruction);  // cvt.pack (convert_pack.cpp)

}  // namespace tilescope::ptx
