#pragma once

#include <cstdint>

#include "profiler/ptx/instructions/forms.hpp"

namespace tilescope::ptx {

/// A cvt as it is written. Its slow handler finds it in the instruction: see keep_form.
struct ConvertForm {
  Type result = Type::none, source = Type::none;
  int result_bytes = 0, source_bytes = 0;  ///< [B] Of the registers, which may be wider than integer types.
  Rounding rounding = Rounding::nearest_even;
  bool to_integer = false;  ///< .rni .rzi .rmi .rpi: to an integral value.
  bool ties_away = false;   ///< .rna
  bool flush = false, saturate = false, relu = false;
};

inline void keep_form(Instruction& instruction, const ConvertForm& form) {
  instruction.type = static_cast<std::uint8_t>(form.result);
  instruction.count = static_cast<std::uint8_t>(form.source);
  instruction.width = static_cast<std::uint8_t>(static_cast<int>(form.rounding) | (form.to_integer ? 4 : 0));
  instruction.flags = static_cast<std::uint8_t>(
      (form.flush ? flush_flag : 0) | (form.saturate ? saturate_flag : 0) | (form.relu ? relu_flag : 0));
  instruction.immediate = form.result_bytes | form.source_bytes << 8;
}
inline ConvertForm form_of(const Instruction& instruction) {
  ConvertForm form;
  form.result = static_cast<Type>(instruction.type);
  form.source = static_cast<Type>(instruction.count);
  form.rounding = static_cast<Rounding>(instruction.width & 3);
  form.to_integer = (instruction.width & 4) != 0;
  form.flush = (instruction.flags & flush_flag) != 0;
  form.saturate = (instruction.flags & saturate_flag) != 0;
  form.relu = (instruction.flags & relu_flag) != 0;
  form.result_bytes = static_cast<int>(instruction.immediate & 0xff);
  form.source_bytes = static_cast<int>(instruction.immediate >> 8);
  return form;
}

/// The handler of any cvt of one source to one result: lane after lane, by its form (convert_any.cpp).
Handler any_conversion();

}  // namespace tilescope::ptx
