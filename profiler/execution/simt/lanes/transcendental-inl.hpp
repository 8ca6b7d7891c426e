// The functions of the multi-function unit, computed in double and rounded once: within 0.52 ulp of the exact value,
// where the ISA allows two and more (for sine and cosine: of the angle after a GPU's range reduction). They are
// straight-line code without tables, which vectorises. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_TRANSCENDENTAL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_TRANSCENDENTAL_INL
#undef TILESCOPE_PROFILER_SIMT_TRANSCENDENTAL_INL
#else
#define TILESCOPE_PROFILER_SIMT_TRANSCENDENTAL_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "profiler/execution/simt/lanes/float_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

// Adding and subtracting it rounds a double below 2^51 to an integer, which is in the sum's low bits.
inline constexpr double rounder = 0x1.8p52;

// 2^x by its Taylor series around the nearest integer: the first term left out is below 2e-10 of the value.
HWY_INLINE double power_of_two(double x) {
  constexpr double ln2 = 0.693147180559945309417;
  constexpr double c2 = ln2 * ln2 / 2, c3 = c2 * ln2 / 3, c4 = c3 * ln2 / 4, c5 = c4 * ln2 / 5,
                   c6 = c5 * ln2 / 6, c7 = c6 * ln2 / 7, c8 = c7 * ln2 / 8;
  const double shifted = x + rounder;
  const double f = x - (shifted - rounder);
  const double f2 = f * f;
  const double low = (1.0 + ln2 * f) + f2 * (c2 + c3 * f);
  const double high = (c4 + c5 * f) + f2 * (c6 + c7 * f) + f2 * f2 * c8;
  const double scale = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023u) << 52);
  return (low + f2 * f2 * high) * scale;
}

HWY_INLINE float exponential_2(float a) {
  double x = double{a};
  x = x > 130.0 ? 130.0 : x;  // infinite as a float, and -160 is zero
  x = x < -160.0 ? -160.0 : x;
  return static_cast<float>(power_of_two(x));
}

// log2(x) = k + log2(m), m from sqrt(1/2) to sqrt(2), by the series of artanh((m - 1) / (m + 1)).
HWY_INLINE float logarithm_2(float a) {
  constexpr std::uint64_t root_of_half = 0x3fe6a09e667f3bcd;
  constexpr double two_over_ln2 = 2.88539008177792681472;
  const double x = double{a};
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t biased = (bits - root_of_half + (std::uint64_t{1024} << 52)) >> 52;  // k + 1024
  const double k = std::bit_cast<double>(biased | 0x4330000000000000u) - (0x1p52 + 1024.0);
  const double m = std::bit_cast<double>(bits - ((biased - 1024u) << 52));
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  const double series =
      1.0 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 + z * (1.0 / 13))))));
  float result = static_cast<float>(k + two_over_ln2 * s * series);
  result = a == 0.0f ? -__builtin_inff() : result;
  result = a == __builtin_inff() ? a : result;
  return a >= 0.0f ? result : __builtin_nanf("");
}

// sin(2 pi turns + quarter_turns * pi / 2)
HWY_INLINE float sine_of_turns(double turns, std::uint64_t quarter_turns) {
  constexpr double half_pi = 1.57079632679489661923;
  turns = __builtin_fabs(turns) >= 0x1p24 ? turns * 0.0 : turns;  // whole turns; of infinity NaN
  const double x = 4.0 * turns;
  const double shifted = x + rounder;
  const double r = (x - (shifted - rounder)) * half_pi;
  const double z = r * r;
  const double odd =
      r * (1.0 +
           z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800))))));
  const double even =
      1.0 + z * (-1.0 / 2 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800)))));
  const std::uint64_t quadrant = std::bit_cast<std::uint64_t>(shifted) + quarter_turns;
  const double value = (quadrant & 1u) != 0 ? even : odd;
  return static_cast<float>((quadrant & 2u) != 0 ? -value : value);
}

// sin(a + quarter_turns * pi / 2). The angle is reduced as GPUs do it, because far out, where the ISA promises nothing,
// the reduction is the result: SASS multiplies by 1 / (2 pi) as a float and rounds toward zero to one (FMUL.RZ before
// MUFU.SIN).
HWY_INLINE float sine(float a, std::uint64_t quarter_turns) {
  constexpr double turns_of_a_radian = 0x1.45f306p-3;
  constexpr std::uint64_t beyond_a_float = (std::uint64_t{1} << 29) - 1;
  const std::uint64_t product = std::bit_cast<std::uint64_t>(double{a} * turns_of_a_radian);
  const double turns = std::bit_cast<double>(product & ~beyond_a_float);
  return sine_of_turns(turns, quarter_turns);
}

HWY_INLINE float hyperbolic_tangent(float a) {
  constexpr double two_over_ln2 = 2.88539008177792681472;
  double x = double{a};
  x = x > 20.0 ? 20.0 : x;
  x = x < -20.0 ? -20.0 : x;
  const double power = power_of_two(x * two_over_ln2);
  const float result = static_cast<float>((power - 1.0) / (power + 1.0));
  return __builtin_fabsf(a) < 0x1p-12f ? a : result;  // the next term of its series is below half an ulp
}

struct Exponential2 {
  float operator()(float a) const { return exponential_2(a); }
};
struct Logarithm2 {
  float operator()(float a) const { return logarithm_2(a); }
};
struct Sine {
  float operator()(float a) const { return sine(a, 0); }
};
struct Cosine {
  float operator()(float a) const { return sine(a, 1); }
};
struct HyperbolicTangent {
  float operator()(float a) const { return hyperbolic_tangent(a); }
};

template <class Operation, bool flush>
struct Approximate {
  float operator()(float source) const { return output<flush, false>(Operation{}(input<flush>(source))); }
};

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
