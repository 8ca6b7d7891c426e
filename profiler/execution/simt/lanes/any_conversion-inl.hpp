// Any conversion of one number: reads an exact value and rounds it once. Included once for each vector target.
#if defined(TILESCOPE_PROFILER_SIMT_ANY_CONVERSION_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TILESCOPE_PROFILER_SIMT_ANY_CONVERSION_INL
#undef TILESCOPE_PROFILER_SIMT_ANY_CONVERSION_INL
#else
#define TILESCOPE_PROFILER_SIMT_ANY_CONVERSION_INL
#endif

#include <hwy/highway.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "profiler/execution/simt/lanes/conversion_form.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::simt::HWY_NAMESPACE {

HWY_INLINE std::uint64_t low_bits(std::uint64_t value, Number type) {
  const int bits = 8 * bytes_of(type);
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
// An integer of a type, extended to 64 bits by its sign or by zeros.
HWY_INLINE std::uint64_t extended(std::uint64_t value, Number type) {
  const int shift = 64 - 8 * bytes_of(type);
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift)
                         : low_bits(value, type);
}

HWY_INLINE Exact value_of(std::uint64_t bits, const Conversion& form) {
  switch (form.source) {
    case Number::f16:
      return {single_of_f16(static_cast<std::uint16_t>(bits)), 0.0};
    case Number::bf16:
      return {single_of_bf16(static_cast<std::uint16_t>(bits)), 0.0};
    case Number::f32:
      return {input(single(static_cast<std::uint32_t>(bits)), form.flush), 0.0};
    case Number::f64:
      return {std::bit_cast<double>(bits), 0.0};
    default: {
      const std::uint64_t integer = extended(bits, form.source);
      const double upper = is_signed(form.source)
                               ? static_cast<double>(static_cast<std::int64_t>(integer) >> 32)
                               : static_cast<double>(integer >> 32);
      return exact_sum(upper * 0x1p32, static_cast<double>(integer & 0xffffffffu));
    }
  }
}

HWY_INLINE double to_integral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even:
      return std::nearbyint(value);
    case Rounding::toward_zero:
      return std::trunc(value);
    case Rounding::down:
      return std::floor(value);
    default:
      return std::ceil(value);
  }
}

// Clamped to the type. NaN gives 0 or the lowest signed number's bits.
HWY_INLINE std::uint64_t integer_of(double value, const Conversion& form) {
  const int bits = 8 * bytes_of(form.result);
  if (!(value == value)) return form.nan_is_zero ? 0 : std::uint64_t{1} << (bits - 1);
  const double rounded = to_integral(value, form.rounding);
  if (is_signed(form.result)) {
    const double limit = std::ldexp(1.0, bits - 1);
    if (rounded >= limit) return (std::uint64_t{1} << (bits - 1)) - 1;
    if (rounded <= -limit) return ~std::uint64_t{0} << (bits - 1);
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(rounded));
  }
  if (rounded >= std::ldexp(1.0, bits)) return low_bits(~std::uint64_t{0}, form.result);
  return rounded <= 0.0 ? 0 : static_cast<std::uint64_t>(rounded);
}

// .sat between integers: the bounds of the result's type.
HWY_INLINE std::uint64_t clamped(std::uint64_t value, const Conversion& form) {
  const int bits = 8 * bytes_of(form.result);
  const bool negative = is_signed(form.source) && static_cast<std::int64_t>(value) < 0;
  if (is_signed(form.result)) {
    const std::uint64_t highest = (std::uint64_t{1} << (bits - 1)) - 1;
    if (!negative) return value > highest ? highest : value;
    const auto lowest = static_cast<std::int64_t>(~highest);
    return static_cast<std::int64_t>(value) < lowest ? static_cast<std::uint64_t>(lowest) : value;
  }
  if (negative) return 0;
  const std::uint64_t highest = low_bits(~std::uint64_t{0}, form.result);
  return value > highest ? highest : value;
}

// Converts a float to a half with `mantissa` bits whose exponents are smaller by `bias`, with any rounding. Overflow
// gives infinity or, with `finite`, the greatest number. The float may have been rounded to odd: it has enough bits.
HWY_INLINE std::uint16_t half_of(float value, int mantissa, std::uint32_t bias, Rounding rounding,
                                 bool finite) {
  const std::uint32_t bits = bits_of(value), size = bits & 0x7fffffffu;
  const std::uint16_t infinity = mantissa == 10 ? 0x7c00 : 0x7f80;
  const std::uint16_t sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000u);
  if (size > 0x7f800000u) return 0x7fff;
  if (size == 0x7f800000u) return static_cast<std::uint16_t>(sign | (finite ? infinity - 1u : infinity));
  const std::uint32_t exponent = size >> 23;
  const std::uint64_t digits = exponent == 0 ? size : (size & 0x7fffffu) | 0x800000u;
  const std::uint32_t lowest = bias + 1;  // the exponent that denormals of the half share
  const std::uint32_t at_least_one = exponent == 0 ? 1 : exponent;
  const std::uint32_t below = at_least_one < lowest ? lowest - at_least_one : 0;
  const int shift = 23 - mantissa + static_cast<int>(below < 40 ? below : 40);
  const std::uint64_t kept = digits >> shift, rest = digits - (kept << shift);
  const std::uint64_t tie = std::uint64_t{1} << (shift - 1);
  const bool is_negative = sign != 0;
  bool away = rest > tie || (rest == tie && (kept & 1u) != 0);
  if (rounding == Rounding::toward_zero) away = false;
  if (rounding == Rounding::down) away = is_negative && rest != 0;
  if (rounding == Rounding::up) away = !is_negative && rest != 0;
  const std::uint64_t steps =
      below > 0 || exponent == 0 ? 0 : exponent - lowest;  // its hidden bit adds one exponent
  const std::uint64_t number = (steps << mantissa) + kept + (away ? 1 : 0);
  const bool overflows = number >= infinity;
  const bool to_infinity =
      !finite && (rounding == Rounding::nearest_even || (rounding == Rounding::down && is_negative) ||
                  (rounding == Rounding::up && !is_negative));
  const std::uint64_t finite_or_not = overflows ? (to_infinity ? infinity : infinity - 1u) : number;
  return static_cast<std::uint16_t>(sign | finite_or_not);
}

// tf32 is a float whose last 13 bits are zeros.
HWY_INLINE std::uint32_t tf32_of(float value, const Conversion& form) {
  const std::uint32_t bits = bits_of(value), to_even = 0xfffu + (bits >> 13 & 1u);
  if (!(value == value)) return nan_bits & 0xffffe000u;
  const std::uint32_t added = form.ties_away                            ? 0x1000u
                              : form.rounding == Rounding::nearest_even ? to_even
                                                                        : 0;
  const std::uint32_t rounded = (bits + added) & 0xffffe000u;
  const bool overflows = form.finite && (rounded & 0x7fffffffu) >= 0x7f800000u;
  return overflows ? (rounded & 0x80000000u) | 0x7f7fe000u : rounded;
}

HWY_INLINE std::uint64_t number_of(Exact value, const Conversion& form) {
  if (form.to_integer) value = {to_integral(value.head, form.rounding), 0.0};
  const bool negative = value.head < 0.0;
  if (form.relu && value.head <= 0.0) value = {0.0, 0.0};
  if (form.saturate) {
    const double positive = value.head > 0.0 ? value.head : 0.0;
    value = positive > 1.0 ? Exact{1.0, 0.0} : positive == 0.0 ? Exact{0.0, 0.0} : value;
  }
  const Rounding rounding = form.to_integer ? Rounding::nearest_even : form.rounding;
  switch (form.result) {
    case Number::f16:
      return half_of(odd_single(value), 10, 112, rounding, form.finite);
    case Number::bf16:
      return half_of(odd_single(value), 7, 0, rounding, form.finite);
    case Number::tf32:
      return tf32_of(static_cast<float>(value.head), form);
    case Number::f32: {
      // An H200 keeps the sign and the payload's upper bits of a NaN from .f64.
      const bool keeps_nan = form.source == Number::f64 && value.head != value.head;
      const float rounded =
          keeps_nan ? static_cast<float>(value.head) : canonical(round_single(value, rounding));
      return bits_of(form.flush ? flushed(rounded) : rounded);
    }
    default: {
      // A GPU keeps the payload of NaN on the way to .f64.
      const std::uint64_t bits = bits_of(form.source == Number::f32 ? value.head : canonical(value.head));
      const bool up =
          value.tail > 0.0 && (rounding == Rounding::up || (rounding == Rounding::toward_zero && negative));
      const bool down = value.tail < 0.0 &&
                        (rounding == Rounding::down || (rounding == Rounding::toward_zero && !negative));
      if (!up && !down) return bits;
      return up == negative ? bits - 1 : bits + 1;
    }
  }
}

// A number of `source`'s type in the low bits, as one of `result`'s; integers fill 64 bits by their sign or zeros.
HWY_INLINE std::uint64_t converted(std::uint64_t source, const Conversion& form) {
  if (!is_integer(form.result)) return number_of(value_of(source, form), form);
  std::uint64_t result = 0;
  if (is_integer(form.source)) {
    const std::uint64_t integer = extended(source, form.source);
    result = form.saturate ? clamped(integer, form) : integer;
  } else {
    result = integer_of(value_of(source, form).head, form);
  }
  return extended(result, form.result);
}

}  // namespace tilescope::simt::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
