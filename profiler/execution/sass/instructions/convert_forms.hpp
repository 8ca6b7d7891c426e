#pragma once

#include "profiler/execution/sass/instructions/float_forms.hpp"
#include "profiler/execution/simt/lanes/conversion_form.hpp"

namespace tilescope::sass {

/// A conversion in the fields of its instruction: the types in `type` and `width`, the rest in `flags` and `count`.
inline constexpr std::uint8_t finite_flag = 8, to_integer_flag = 16, nan_is_zero_flag = 32;

inline void keep_conversion(simt::Instruction& instruction, const simt::Conversion& form) {
  instruction.type = static_cast<std::uint8_t>(form.result);
  instruction.width = static_cast<std::uint8_t>(form.source);
  instruction.count = static_cast<std::uint8_t>(form.rounding);
  instruction.flags = static_cast<std::uint8_t>(
      (form.flush ? simt::flush_flag : 0) | (form.saturate ? simt::saturate_flag : 0) |
      (form.relu ? simt::relu_flag : 0) | (form.finite ? finite_flag : 0) |
      (form.to_integer ? to_integer_flag : 0) | (form.nan_is_zero ? nan_is_zero_flag : 0));
}
inline simt::Conversion conversion_of(const simt::Instruction& instruction) {
  simt::Conversion form;
  form.result = static_cast<simt::Number>(instruction.type);
  form.source = static_cast<simt::Number>(instruction.width);
  form.rounding = static_cast<simt::Rounding>(instruction.count);
  form.flush = (instruction.flags & simt::flush_flag) != 0;
  form.saturate = (instruction.flags & simt::saturate_flag) != 0;
  form.relu = (instruction.flags & simt::relu_flag) != 0;
  form.finite = (instruction.flags & finite_flag) != 0;
  form.to_integer = (instruction.flags & to_integer_flag) != 0;
  form.nan_is_zero = (instruction.flags & nan_is_zero_flag) != 0;
  return form;
}

void decode_pack_floats(Decoder& decoder, simt::Instruction& instruction);          // F2FP (convert_pack.cpp)
void decode_pack_integers(Decoder& decoder, simt::Instruction& instruction);        // I2IP
void decode_pack_float_integers(Decoder& decoder, simt::Instruction& instruction);  // F2IP

}  // namespace tilescope::sass
