#include <hwy/highway.h>

#include <algorithm>
#include <string>

#include "profiler/ptx/instructions/convert_form.hpp"
#include "profiler/ptx/instructions/half_lanes-inl.hpp"
#include "profiler/ptx/warp.hpp"

// cvt between pairs of 8-bit floats (.e4m3x2, .e5m2x2) in a 16-bit register and pairs of f32 or f16.
namespace tilescope::ptx {
namespace {

namespace halves = HWY_NAMESPACE;

// Without the sign bit a code counts the numbers upward: exponent, then mantissa.
struct Fp8 {
  /// bits
  int mantissa;
  /// The exponent field that a float of its smallest normal has.
  std::uint32_t lowest;
  /// The code of its greatest finite number.
  std::uint32_t greatest;
};
constexpr Fp8 e4m3 = {3, 127 - 6, 0x7e};   // 448; no infinities, one NaN
constexpr Fp8 e5m2 = {2, 127 - 14, 0x7b};  // 57344
constexpr std::uint32_t fp8_nan = 0x7f;
constexpr std::uint16_t f16_nan = 0x7fff;

constexpr const Fp8& format_of(const Instruction& i) {
  return i.type == 0 ? e4m3 : e5m2;
}

// Rounds to nearest, ties to even. A value beyond the greatest number becomes that number, with its sign.
std::uint32_t encode(float value, const Fp8& format, bool relu) {
  const std::uint32_t bits = halves::bits_of(relu ? halves::relu_of(value) : value);
  const std::uint32_t size = bits & 0x7fffffffu, exponent = size >> 23;
  if (size > 0x7f800000u) return fp8_nan;
  const std::uint32_t below = exponent < format.lowest ? format.lowest - exponent : 0;
  const std::uint32_t shift = std::min(23 - static_cast<std::uint32_t>(format.mantissa) + below, 31u);
  const std::uint32_t digits = (size & 0x7fffffu) | 0x800000u;
  const std::uint32_t kept = digits >> shift, rest = digits & ((1u << shift) - 1), tie = 1u << (shift - 1);
  const std::uint32_t up = rest > tie || (rest == tie && (kept & 1u) != 0) ? 1 : 0;
  // The hidden bit of a normal number is among `kept` and adds one exponent.
  const std::uint32_t steps = below > 0 ? 0 : (exponent - format.lowest) << format.mantissa;
  return std::min(steps + kept + up, format.greatest) | (bits >> 24 & 0x80u);
}

// Every fp8 is an f16.
std::uint16_t decode_to_f16(std::uint32_t code, const Fp8& format, bool relu) {
  const std::uint32_t size = code & 0x7fu;
  const bool is_e4m3 = format.mantissa == 3;
  if (size > (is_e4m3 ? 0x7eu : 0x7cu)) return f16_nan;
  if (relu && (code & 0x80u) != 0) return 0;
  const auto sign = static_cast<std::uint16_t>((code & 0x80u) << 8);
  if (!is_e4m3) return static_cast<std::uint16_t>(size << 8 | sign);
  // Moved to an f16's place the exponent is short of 8, for denormals too.
  const float value = halves::single_of_f16(static_cast<std::uint16_t>(size << 7)) * 256.0f;
  return static_cast<std::uint16_t>(halves::f16_of_single(value) | sign);
}

template <class Convert>
void for_active_lanes(const Warp& warp, Convert convert) {
  for (LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) convert(first_lane(rest));
}

// a is the upper half.
void singles_to_fp8(Warp& warp, const Instruction& i) {
  const float *a = warp.read<float>(i.a), *b = warp.read<float>(i.b);
  std::uint16_t* d = warp.write<std::uint16_t>(i.d);
  const bool relu = (i.flags & relu_flag) != 0;
  for_active_lanes(warp, [&](int lane) {
    d[lane] = static_cast<std::uint16_t>(encode(a[lane], format_of(i), relu) << 8 |
                                         encode(b[lane], format_of(i), relu));
  });
}

void f16_pair_to_fp8(Warp& warp, const Instruction& i) {
  const std::uint32_t* a = warp.read<std::uint32_t>(i.a);
  std::uint16_t* d = warp.write<std::uint16_t>(i.d);
  const bool relu = (i.flags & relu_flag) != 0;
  for_active_lanes(warp, [&](int lane) {
    const auto half = [&](int shift) {
      return encode(halves::single_of_f16(static_cast<std::uint16_t>(a[lane] >> shift)), format_of(i), relu);
    };
    d[lane] = static_cast<std::uint16_t>(half(16) << 8 | half(0));
  });
}

void fp8_to_f16_pair(Warp& warp, const Instruction& i) {
  const std::uint16_t* a = warp.read<std::uint16_t>(i.a);
  std::uint32_t* d = warp.write<std::uint32_t>(i.d);
  const bool relu = (i.flags & relu_flag) != 0;
  for_active_lanes(warp, [&](int lane) {
    const std::uint32_t high = decode_to_f16(a[lane] >> 8, format_of(i), relu);
    d[lane] = high << 16 | decode_to_f16(a[lane] & 0xffu, format_of(i), relu);
  });
}

// Whether one of the types is fp8 and which, consumed.
bool take_fp8(Decoder& decoder, Instruction& instruction) {
  const bool is_e4m3 = decoder.take("e4m3x2");
  if (!is_e4m3 && !decoder.take("e5m2x2")) return false;
  instruction.type = is_e4m3 ? 0 : 1;
  return true;
}

}  // namespace

bool decode_fp8_conversion(Decoder& decoder, Instruction& instruction) {
  if (!take_fp8(decoder, instruction)) return false;
  if (!decoder.take("rn")) decoder.unsupported("a conversion of 8-bit floats without .rn");
  const bool saturates = decoder.take("satfinite");
  if (decoder.take("relu")) instruction.flags = relu_flag;
  const Type other = decoder.take_type();
  const bool from_fp8 = type_named(decoder.syntax().words.back()) == Type::none;
  if (other == Type::f16x2 && from_fp8 && !saturates) {
    instruction.execute = fp8_to_f16_pair;
    decode_operands(decoder, instruction, Type::f16x2, Type::b16);
  } else if (other == Type::f16x2 && !from_fp8 && saturates) {
    instruction.execute = f16_pair_to_fp8;
    decode_operands(decoder, instruction, Type::b16, Type::f16x2);
  } else if (other == Type::f32 && !from_fp8 && saturates) {
    instruction.execute = singles_to_fp8;
    decode_operands(decoder, instruction, Type::b16, Type::f32, Type::f32);
  } else {
    decoder.unsupported("8-bit floats are made of .f32 and .f16x2 with .satfinite, and become .f16x2");
  }
  return true;
}

}  // namespace tilescope::ptx
