#include <bit>
#include <cmath>
#include <limits>

#include "profiler/ptx/instructions/convert_form.hpp"
#include "profiler/ptx/instructions/families.hpp"
#include "profiler/ptx/warp.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/ptx/instructions/convert_any.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/ptx/instructions/float_operations-inl.hpp"
#include "profiler/ptx/instructions/half_lanes-inl.hpp"

// Any conversion of one number, lane after lane: reads an exact value and rounds it once.
HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {

HWY_INLINE std::uint64_t low_bits(std::uint64_t value, Type type) {
  const int bits = 8 * size_of(type);
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}
// An integer of a type, extended to 64 bits by its sign or by zeros.
HWY_INLINE std::uint64_t extended(std::uint64_t value, Type type) {
  const int shift = 64 - 8 * size_of(type);
  return is_signed(type) ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift)
                         : low_bits(value, type);
}

HWY_INLINE std::uint64_t read_lane(const Warp& warp, Slot slot, int bytes, int lane) {
  return bytes == 2   ? warp.read<std::uint16_t>(slot)[lane]
         : bytes == 4 ? warp.read<std::uint32_t>(slot)[lane]
                      : warp.read<std::uint64_t>(slot)[lane];
}
HWY_INLINE void write_lane(Warp& warp, Slot slot, int bytes, int lane, std::uint64_t value) {
  if (bytes == 2) {
    warp.write<std::uint16_t>(slot)[lane] = static_cast<std::uint16_t>(value);
  } else if (bytes == 4) {
    warp.write<std::uint32_t>(slot)[lane] = static_cast<std::uint32_t>(value);
  } else {
    warp.write<std::uint64_t>(slot)[lane] = value;
  }
}

HWY_INLINE Exact value_of(std::uint64_t bits, const ConvertForm& form) {
  switch (form.source) {
    case Type::f16:
      return {single_of_f16(static_cast<std::uint16_t>(bits)), 0.0};
    case Type::bf16:
      return {single_of_bf16(static_cast<std::uint16_t>(bits)), 0.0};
    case Type::f32:
      return {input(single(static_cast<std::uint32_t>(bits)), form.flush), 0.0};
    case Type::f64:
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

// Clamped to the type. NaN gives 0, but the lowest signed number's bits for f64 and for 64 bits (PTX ISA, "cvt").
HWY_INLINE std::uint64_t integer_of(double value, const ConvertForm& form) {
  const int bits = 8 * size_of(form.result);
  if (!(value == value)) {
    return form.source == Type::f64 || bits == 64 ? std::uint64_t{1} << (bits - 1) : 0;
  }
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
HWY_INLINE std::uint64_t clamped(std::uint64_t value, const ConvertForm& form) {
  const int bits = 8 * size_of(form.result);
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
HWY_INLINE std::uint32_t tf32_of(float value, const ConvertForm& form) {
  const std::uint32_t bits = bits_of(value), to_even = 0xfffu + (bits >> 13 & 1u);
  if (!(value == value)) return nan_bits;
  const std::uint32_t added = form.ties_away                            ? 0x1000u
                              : form.rounding == Rounding::nearest_even ? to_even
                                                                        : 0;
  const std::uint32_t rounded = (bits + added) & 0xffffe000u;
  const bool overflows = form.finite && (rounded & 0x7fffffffu) >= 0x7f800000u;
  return overflows ? (rounded & 0x80000000u) | 0x7f7fe000u : rounded;
}

HWY_INLINE std::uint64_t number_of(Exact value, const ConvertForm& form) {
  if (form.to_integer) value = {to_integral(value.head, form.rounding), 0.0};
  const bool negative = value.head < 0.0;
  if (form.relu && value.head <= 0.0) value = {0.0, 0.0};
  if (form.saturate) {
    const double positive = value.head > 0.0 ? value.head : 0.0;
    value = positive > 1.0 ? Exact{1.0, 0.0} : positive == 0.0 ? Exact{0.0, 0.0} : value;
  }
  const Rounding rounding = form.to_integer ? Rounding::nearest_even : form.rounding;
  switch (form.result) {
    case Type::f16:
      return half_of(odd_single(value), 10, 112, rounding, form.finite);
    case Type::bf16:
      return half_of(odd_single(value), 7, 0, rounding, form.finite);
    case Type::tf32:
      return tf32_of(static_cast<float>(value.head), form);
    case Type::f32: {
      const float rounded = canonical(round_single(value, rounding));
      return bits_of(form.flush ? flushed(rounded) : rounded);
    }
    default: {
      // A GPU keeps the payload of NaN on the way to .f64, and only there.
      const std::uint64_t bits = bits_of(form.source == Type::f32 ? value.head : canonical(value.head));
      const bool up =
          value.tail > 0.0 && (rounding == Rounding::up || (rounding == Rounding::toward_zero && negative));
      const bool down = value.tail < 0.0 &&
                        (rounding == Rounding::down || (rounding == Rounding::toward_zero && !negative));
      if (!up && !down) return bits;
      return up == negative ? bits - 1 : bits + 1;
    }
  }
}

void convert_any(Warp& warp, const Instruction& i) {
  const ConvertForm form = form_of(i);
  const bool to_integer = !is_floating(form.result), from_integer = !is_floating(form.source);
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) == 0) continue;
    const std::uint64_t source = read_lane(warp, i.a, form.source_bytes, lane);
    std::uint64_t result = 0;
    if (!to_integer) {
      result = number_of(value_of(source, form), form);
    } else if (from_integer) {
      const std::uint64_t integer = extended(source, form.source);
      result = form.saturate ? clamped(integer, form) : integer;
    } else {
      result = integer_of(value_of(source, form).head, form);
    }
    write_lane(warp, i.d, form.result_bytes, lane, to_integer ? extended(result, form.result) : result);
  }
}

void convert_any_pair(Warp& warp, const Instruction& i) {
  ConvertForm form = form_of(i);
  form.result = form.result == Type::f16x2 ? Type::f16 : Type::bf16;
  const auto half = [&](Slot source, int lane) {
    return static_cast<std::uint32_t>(number_of(value_of(read_lane(warp, source, 4, lane), form), form));
  };
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) != 0)
      write_lane(warp, i.d, 4, lane, half(i.a, lane) << 16 | half(i.b, lane));
  }
}

Handler AnyConversion(bool of_pair) {
  return of_pair ? convert_any_pair : convert_any;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(AnyConversion);

Handler any_conversion() {
  return HWY_DYNAMIC_DISPATCH(AnyConversion)(false);
}
Handler any_pair_conversion() {
  return HWY_DYNAMIC_DISPATCH(AnyConversion)(true);
}

}  // namespace tilescope::ptx
#endif
