#pragma once

#include <cstdint>

namespace tilescope::simt {

/// Rounding of a result to its type (PTX ISA, "Rounding Modifiers").
enum class Rounding : std::uint8_t { nearest_even, toward_zero, down, up };

/// The modifiers of a floating-point instruction. Handlers that do not have them compiled in read them from
/// Instruction::flags, and the rounding from Instruction::width.
struct FloatForm {
  /// .ftz: denormals in and out are zero.
  bool flush = false;
  /// .sat: the result is clamped to [0, 1], NaN gives 0.
  bool saturate = false;
  /// .relu: a negative result gives 0.
  bool relu = false;
  Rounding rounding = Rounding::nearest_even;
};
inline constexpr std::uint8_t flush_flag = 1, saturate_flag = 2, relu_flag = 4;

}  // namespace tilescope::simt
