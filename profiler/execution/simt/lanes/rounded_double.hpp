#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "profiler/execution/simt/lanes/float_form.hpp"

/// Doubles rounded toward zero, down or up. Rare, so computed in 113 bits, which hold the product of two doubles
/// exactly.
namespace tilescope::simt {

using Quad = __float128;

/// On which side of its nearest double a result lies: negative below it, positive above, 0 on it.
inline int sign_of(Quad rest) {
  return rest > 0 ? 1 : rest < 0 ? -1 : 0;
}

inline double moved(double nearest, int side, Rounding rounding) {
  const auto bits = std::bit_cast<std::uint64_t>(nearest);
  const bool is_negative = bits >> 63 != 0;
  const bool down = rounding == Rounding::down || (rounding == Rounding::toward_zero && !is_negative);
  const bool up = rounding == Rounding::up || (rounding == Rounding::toward_zero && is_negative);
  if (nearest == 0.0) {
    if (side < 0 && rounding == Rounding::down) return -std::bit_cast<double>(std::uint64_t{1});
    if (side > 0 && rounding == Rounding::up) return std::bit_cast<double>(std::uint64_t{1});
    return nearest;
  }
  const bool moves = (side < 0 && down) || (side > 0 && up);
  return moves ? std::bit_cast<double>(up == is_negative ? bits - 1 : bits + 1) : nearest;
}

inline double rounded_sum(Quad a, Quad b, Rounding rounding) {
  const Quad sum = a + b;
  const Quad from_b = sum - a;
  const Quad tail = (a - (sum - from_b)) + (b - from_b);
  const double nearest = static_cast<double>(sum);
  if (sum == 0 && rounding == Rounding::down) {
    return std::signbit(static_cast<double>(a)) || std::signbit(static_cast<double>(b)) ? -0.0 : 0.0;
  }
  const Quad rest = sum - static_cast<Quad>(nearest);
  return moved(nearest, sign_of(rest == 0 ? tail : rest), rounding);
}

inline double rounded_product(double a, double b, Rounding rounding) {
  const double nearest = a * b;
  const Quad rest = static_cast<Quad>(a) * b - static_cast<Quad>(nearest);
  return moved(nearest, sign_of(rest), rounding);
}

}  // namespace tilescope::simt
