#include <hwy/highway.h>

#include <algorithm>
#include <string>

#include "profiler/execution/ptx/instructions/convert_form.hpp"
#include "profiler/execution/simt/lanes/fp8-inl.hpp"
#include "profiler/execution/simt/warp.hpp"

// cvt between pairs of 8-bit floats (.e4m3x2, .e5m2x2) in a 16-bit register and pairs of f32 or f16.
namespace tilescope::ptx {
namespace {

namespace halves = simt::HWY_NAMESPACE;

constexpr const halves::Fp8& format_of(const Instruction& i) {
  return i.type == 0 ? halves::e4m3 : halves::e5m2;
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
    d[lane] = static_cast<std::uint16_t>(halves::encode_fp8(a[lane], format_of(i), relu) << 8 |
                                         halves::encode_fp8(b[lane], format_of(i), relu));
  });
}

void f16_pair_to_fp8(Warp& warp, const Instruction& i) {
  const std::uint32_t* a = warp.read<std::uint32_t>(i.a);
  std::uint16_t* d = warp.write<std::uint16_t>(i.d);
  const bool relu = (i.flags & relu_flag) != 0;
  for_active_lanes(warp, [&](int lane) {
    const auto half = [&](int shift) {
      return halves::encode_fp8(halves::single_of_f16(static_cast<std::uint16_t>(a[lane] >> shift)),
                                format_of(i), relu);
    };
    d[lane] = static_cast<std::uint16_t>(half(16) << 8 | half(0));
  });
}

void fp8_to_f16_pair(Warp& warp, const Instruction& i) {
  const std::uint16_t* a = warp.read<std::uint16_t>(i.a);
  std::uint32_t* d = warp.write<std::uint32_t>(i.d);
  const bool relu = (i.flags & relu_flag) != 0;
  for_active_lanes(warp, [&](int lane) {
    const std::uint32_t high = halves::fp8_to_f16(a[lane] >> 8, format_of(i), relu);
    d[lane] = high << 16 | halves::fp8_to_f16(a[lane] & 0xffu, format_of(i), relu);
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
