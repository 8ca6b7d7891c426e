// Shared by floating-point handlers: NaN, denormals, saturation, and rounding in every direction from an exact value.
// Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_FLOAT_OPERATIONS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_FLOAT_OPERATIONS_INL
#undef TILESCOPE_PROFILER_SIMT_FLOAT_OPERATIONS_INL
#else
#define TILESCOPE_PROFILER_SIMT_FLOAT_OPERATIONS_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cstdint>

#include "profiler/execution/simt/lanes/float_form.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

inline constexpr std::uint32_t nan_bits = 0x7fffffff;  // the NaN that arithmetic gives (PTX ISA, "f32")
inline constexpr std::uint64_t nan_bits_64 = 0x7ff8000000000000;

HWY_INLINE std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
HWY_INLINE std::uint64_t bits_of(double value) {
  return std::bit_cast<std::uint64_t>(value);
}
HWY_INLINE float single(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

HWY_INLINE float canonical(float value) {
  return value == value ? value : single(nan_bits);
}
HWY_INLINE double canonical(double value) {
  return value == value ? value : std::bit_cast<double>(nan_bits_64);
}

// Denormals become zero of their sign.
HWY_INLINE float flushed(float value) {
  const std::uint32_t bits = bits_of(value);
  return single((bits & 0x7fffffffu) < 0x00800000u ? bits & 0x80000000u : bits);
}
HWY_INLINE float saturated_single(float value) {
  const float positive = value > 0.0f ? value : 0.0f;  // NaN gives 0
  return positive < 1.0f ? positive : 1.0f;
}
// -0 becomes +0, as the greater of the two; NaN stays.
HWY_INLINE float relu_of(float value) {
  return value <= 0.0f ? 0.0f : value;
}

template <bool flush>
HWY_INLINE float input(float value) {
  return flush ? flushed(value) : value;
}
template <bool flush, bool saturate>
HWY_INLINE float output(float value) {
  if (saturate) value = saturated_single(value);
  if (flush) value = flushed(value);
  return saturate ? value : canonical(value);
}
// Flushes where the form is read from the instruction.
HWY_INLINE float input(float value, bool flush) {
  return flush ? flushed(value) : value;
}
HWY_INLINE float output(float value, bool flush, bool saturate) {
  value = saturate ? saturated_single(value) : canonical(value);
  return flush ? flushed(value) : value;
}

// A number as the sum of two, the first of which is the sum's nearest double.
struct Exact {
  double head, tail;
};
// Knuth's two-sum: without error for all finite values that do not overflow.
HWY_INLINE Exact exact_sum(double a, double b) {
  const double sum = a + b;
  const double from_b = sum - a;
  return {sum, (a - (sum - from_b)) + (b - from_b)};
}

// The neighbour of a float, upward or downward.
HWY_INLINE float next(float value, bool upward) {
  const std::uint32_t bits = bits_of(value);
  const bool grows = upward == (bits < 0x80000000u);
  const std::uint32_t stepped = grows ? bits + 1 : bits - 1;
  const std::uint32_t from_zero = upward ? 0x00000001u : 0x80000001u;
  return single((bits & 0x7fffffffu) == 0 ? from_zero : stepped);
}

// The difference between an exact value and its nearest float; its sign tells on which side the value lies. NaN for
// infinities.
HWY_INLINE double rest_of(Exact value, float nearest) {
  const double rest = value.head - double{nearest};
  return rest == 0.0 ? value.tail : rest;
}

// Rounds to odd: a value between two floats becomes the one whose last bit is set. Rounding the result to fewer bits
// (at most 22 of the 24) is then the same as rounding the value once (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums").
HWY_INLINE float odd_single(Exact value) {
  const float nearest = static_cast<float>(value.head);
  const double rest = rest_of(value, nearest);
  const bool inexact = rest > 0.0 || rest < 0.0;
  return inexact && (bits_of(nearest) & 1u) == 0 ? next(nearest, rest > 0.0) : nearest;
}

HWY_INLINE double odd_double(Exact value) {
  const std::uint64_t bits = bits_of(value.head);
  const bool inexact = value.tail > 0.0 || value.tail < 0.0;
  const bool grows = (value.tail > 0.0) == (value.head > 0.0);
  return std::bit_cast<double>(inexact && (bits & 1u) == 0 ? (grows ? bits + 1 : bits - 1) : bits);
}

// The nearest float of a value, or its neighbour when `rest` has the sign of the rounding's direction.
HWY_INLINE float directed(float nearest, double rest, Rounding rounding) {
  const bool is_negative = bits_of(nearest) >= 0x80000000u;
  const bool to_zero = rounding == Rounding::toward_zero;
  const bool down = rounding == Rounding::down || (to_zero && !is_negative);
  const bool up = rounding == Rounding::up || (to_zero && is_negative);
  const bool stays = nearest == 0.0f && to_zero;
  const bool moves = !stays && ((down && rest < 0.0) || (up && rest > 0.0));
  return moves ? next(nearest, up) : nearest;
}

HWY_INLINE float round_single(Exact value, Rounding rounding) {
  if (rounding == Rounding::nearest_even) return static_cast<float>(odd_double(value));
  const float nearest = static_cast<float>(value.head);
  return directed(nearest, rest_of(value, nearest), rounding);
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
