#pragma once

#include <cmath>
#include <cstdint>

/// f16 and bf16 by their definition, apart from the code under test.
namespace tilescope::sass {

struct HalfFormat {
  using Quad = __float128;

  /// Bits of the fraction, and the exponent of the smallest normal number.
  int fraction = 10, lowest = -14;
  std::uint16_t infinity = 0x7c00, one = 0x3c00;

  double value(std::uint16_t code) const {
    const int size = code & 0x7fff, exponent = size >> fraction, digits = size & ((1 << fraction) - 1);
    double number = std::ldexp(digits, lowest - fraction);
    if (exponent != 0) number = std::ldexp(digits + (1 << fraction), lowest - fraction + exponent - 1);
    if (size == infinity) number = INFINITY;
    if (size > infinity) return NAN;
    return (code & 0x8000) != 0 ? -number : number;
  }
  std::uint16_t flushed(std::uint16_t code) const {
    return (code & infinity) == 0 ? static_cast<std::uint16_t>(code & 0x8000) : code;
  }

  /// To the nearest, ties to even; NaN is 0x7fff.
  std::uint16_t rounded(Quad exact) const {
    if (exact != exact) return 0x7fff;
    const double near = static_cast<double>(exact);
    const bool is_negative = std::signbit(near);
    const auto sign = static_cast<std::uint16_t>(is_negative ? 0x8000 : 0);
    const Quad size = is_negative ? -exact : exact;
    if (std::isinf(near)) return static_cast<std::uint16_t>(sign | infinity);
    // The codes of positive numbers count them upward.
    std::uint16_t below = 0, above = infinity;
    while (above - below > 1) {
      const auto middle = static_cast<std::uint16_t>((below + above) / 2);
      (Quad{value(middle)} <= size ? below : above) = middle;
    }
    // Above the greatest number, what would be the next one stands for infinity.
    const Quad next =
        above == infinity ? Quad{std::ldexp(1.0, lowest + (infinity >> fraction) - 1)} : Quad{value(above)};
    const Quad to_below = size - Quad{value(below)}, to_above = next - size;
    const bool up = to_above < to_below || (to_above == to_below && (below & 1) != 0);
    return static_cast<std::uint16_t>(sign | (up ? above : below));
  }
  std::uint16_t finished(Quad exact, bool saturates, bool relu) const {
    if (saturates) exact = exact > 1 ? Quad{1} : exact > 0 ? exact : Quad{0};
    if (relu && exact <= 0) exact = 0;
    return rounded(exact);
  }
};
inline constexpr HalfFormat f16_format{};
inline constexpr HalfFormat bf16_format{7, -126, 0x7f80, 0x3f80};

}  // namespace tilescope::sass
