#pragma once

#include <cstdint>

#include "profiler/execution/simt/lanes/float_form.hpp"

namespace tilescope::simt {

/// Type that numbers are converted from or to.
enum class Number : std::uint8_t { u8, s8, u16, s16, u32, s32, u64, s64, f16, bf16, tf32, f32, f64 };

constexpr bool is_integer(Number number) {
  return number <= Number::s64;
}
constexpr bool is_signed(Number number) {
  return number == Number::s8 || number == Number::s16 || number == Number::s32 || number == Number::s64;
}
constexpr int bytes_of(Number number) {
  constexpr int bytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 4, 8};
  return bytes[static_cast<int>(number)];
}

struct Conversion {
  Number result = Number::f32, source = Number::f32;
  Rounding rounding = Rounding::nearest_even;
  /// Rounds a float to an integral value.
  bool to_integer = false;
  /// Halves are rounded away from zero, to tf32 only.
  bool ties_away = false;
  bool flush = false, saturate = false, relu = false;
  /// A value that is too large becomes the greatest finite number.
  bool finite = false;
  /// Integer result for a NaN: 0, or the bits of the lowest signed number.
  bool nan_is_zero = true;
};

}  // namespace tilescope::simt
