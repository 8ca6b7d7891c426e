#include "profiler/execution/sass/instructions/convert_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/convert_pack.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/any_conversion-inl.hpp"
#include "profiler/execution/simt/lanes/fp8-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"
#include "profiler/execution/simt/lanes/pack_floats-inl.hpp"
#include "profiler/execution/simt/lanes/packed_integers.hpp"

// F2FP, I2IP and F2IP: numbers that are converted and packed in one register. `a` is the upper number. Where a third
// source is merged, it is shifted up and the new numbers stand below it.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::Conversion, simt::Handler, simt::Instruction, simt::Number, simt::relu_flag, simt::Warp;

// The result of a function of the lane, in the lanes of exec.
template <class Result>
HWY_INLINE void write_lanes(Warp& warp, const Instruction& i, Result result) {
  std::uint32_t* d = warp.write<std::uint32_t>(i.d);
  for (simt::LaneMask rest = warp.exec; rest != 0; rest &= rest - 1) {
    const int lane = simt::first_lane(rest);
    d[lane] = result(lane);
  }
}

// Two floats to halves in any rounding, with .SATFINITE; `immediate` is 1 for one float, which fills the lower half.
void pack_halves(Warp& warp, const Instruction& i) {
  const Conversion form = conversion_of(i);
  const std::uint32_t *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b);
  const bool is_single = i.immediate != 0;
  write_lanes(warp, i, [=](int lane) {
    const auto lower = static_cast<std::uint32_t>(converted(b[lane], form));
    return is_single ? lower : static_cast<std::uint32_t>(converted(a[lane], form)) << 16 | lower;
  });
}

void to_tf32(Warp& warp, const Instruction& i) {
  const Conversion form = conversion_of(i);
  const std::uint32_t* a = warp.read<std::uint32_t>(i.a);
  write_lanes(warp, i, [=](int lane) { return static_cast<std::uint32_t>(converted(a[lane], form)); });
}

// 8-bit floats: `type` is 0 for e4m3 and 1 for e5m2.
HWY_INLINE const Fp8& format_of(const Instruction& i) {
  return i.type == 0 ? e4m3 : e5m2;
}
void pack_fp8(Warp& warp, const Instruction& i) {
  const float *a = warp.read<float>(i.a), *b = warp.read<float>(i.b);
  const std::uint32_t* c = warp.read<std::uint32_t>(i.c);
  const bool relu = (i.flags & relu_flag) != 0;
  write_lanes(warp, i, [=, &i](int lane) {
    return c[lane] << 16 | encode_fp8(a[lane], format_of(i), relu) << 8 |
           encode_fp8(b[lane], format_of(i), relu);
  });
}
void f16_pair_to_fp8(Warp& warp, const Instruction& i) {
  const std::uint32_t *a = warp.read<std::uint32_t>(i.a), *c = warp.read<std::uint32_t>(i.c);
  const bool relu = (i.flags & relu_flag) != 0;
  write_lanes(warp, i, [=, &i](int lane) {
    const auto code = [&](int shift) {
      return encode_fp8(single_of_f16(static_cast<std::uint16_t>(a[lane] >> shift)), format_of(i), relu);
    };
    return c[lane] << 16 | code(16) << 8 | code(0);
  });
}
// Converts the lower half or, with `width` 16, the upper one.
void fp8_to_f16_pair(Warp& warp, const Instruction& i) {
  const std::uint32_t* a = warp.read<std::uint32_t>(i.a);
  const bool relu = (i.flags & relu_flag) != 0;
  write_lanes(warp, i, [=, &i](int lane) {
    const std::uint32_t codes = a[lane] >> i.width;
    return std::uint32_t{fp8_to_f16(codes >> 8 & 0xffu, format_of(i), relu)} << 16 |
           fp8_to_f16(codes & 0xffu, format_of(i), relu);
  });
}

// `type` is the place in packed_types.
void pack_integers(Warp& warp, const Instruction& i) {
  const simt::Packed& type = simt::packed_types[i.type];
  const std::int32_t *a = warp.read<std::int32_t>(i.a), *b = warp.read<std::int32_t>(i.b);
  const std::uint32_t* c = warp.read<std::uint32_t>(i.c);
  write_lanes(warp, i, [=, &type](int lane) {
    const std::uint32_t pair = simt::saturated(a[lane], type) << type.bits | simt::saturated(b[lane], type);
    return type.bits == 16 ? pair : c[lane] << 2 * type.bits | pair;
  });
}

// Floats to bytes.
void pack_float_integers(Warp& warp, const Instruction& i) {
  const Conversion form = conversion_of(i);
  const std::uint32_t *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b),
                      *c = warp.read<std::uint32_t>(i.c);
  write_lanes(warp, i, [=](int lane) {
    const auto byte = [&](std::uint32_t value) {
      return static_cast<std::uint32_t>(converted(value, form)) & 0xffu;
    };
    return c[lane] << 16 | byte(a[lane]) << 8 | byte(b[lane]);
  });
}

// The nearest halves of two floats.
Handler PackHandler(bool is_bf16, bool relu) {
  if (is_bf16) return relu ? singles_to_pair<BF16, true> : singles_to_pair<BF16, false>;
  return relu ? singles_to_pair<F16, true> : singles_to_pair<F16, false>;
}
Handler AnyPackHandler() {
  return pack_halves;
}
Handler Tf32Handler() {
  return to_tf32;
}
Handler Fp8Handler(bool from_f16) {
  return from_f16 ? f16_pair_to_fp8 : pack_fp8;
}
Handler UnpackHandler() {
  return fp8_to_f16_pair;
}
Handler IntegersHandler(bool from_floats) {
  return from_floats ? pack_float_integers : pack_integers;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(PackHandler);
HWY_EXPORT(AnyPackHandler);
HWY_EXPORT(Tf32Handler);
HWY_EXPORT(Fp8Handler);
HWY_EXPORT(UnpackHandler);
HWY_EXPORT(IntegersHandler);

using simt::Conversion, simt::Number;

// A float without signs.
simt::Slot plain_real(Decoder& decoder, std::size_t index) {
  const Decoder::Source source = decoder.real(index);
  check_real(decoder, source);
  if (source.is_negated || source.is_absolute) decoder.unsupported("the sign of a number that is packed");
  return source.slot;
}

// "F2FP.F16.E4M3.UNPACK_B R0, R1.H1", "F2FP.SATFINITE.E4M3.F16.UNPACK_B_MERGE_C R0, R1, R2",
// "F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R0, R1, R2, R3"
void decode_fp8(Decoder& decoder, simt::Instruction& instruction, bool is_e5m2) {
  instruction.type = is_e5m2 ? 1 : 0;
  instruction.flags = decoder.take("RELU") ? simt::relu_flag : 0;
  const bool saturates = decoder.take("SATFINITE");
  instruction.d = decoder.write(0);
  const bool is_unpacked = decoder.take("UNPACK_B");
  if (is_unpacked && decoder.take("F16") && !saturates) {
    const Decoder::Source source = decoder.source(1);
    check_real(decoder, source, true);
    if (source.is_negated || source.is_absolute) decoder.unsupported("the sign of 8-bit floats");
    const bool is_upper = source.selector == "H1";
    if (!source.selector.empty() && !is_upper) decoder.unsupported("the part of its source is not known");
    instruction.width = is_upper ? 16 : 0;
    instruction.a = source.slot;
    instruction.execute = HWY_DYNAMIC_DISPATCH(UnpackHandler)();
    return;
  }
  const bool from_f16 = decoder.take("UNPACK_B_MERGE_C") && decoder.take("F16");
  const bool from_f32 = !from_f16 && decoder.take("PACK_AB_MERGE_C") && decoder.take("F32");
  if (!saturates || (!from_f16 && !from_f32)) decoder.unsupported("this conversion of 8-bit floats");
  instruction.a = plain_real(decoder, 1);
  if (from_f32) instruction.b = plain_real(decoder, 2);
  instruction.c = decoder.plain(from_f32 ? 3 : 2);
  instruction.execute = HWY_DYNAMIC_DISPATCH(Fp8Handler)(from_f16);
}

void decode_tf32(Decoder& decoder, simt::Instruction& instruction) {
  Conversion form;
  form.result = Number::tf32;
  form.relu = decoder.take("RELU");
  form.finite = decoder.take("SATFINITE");
  form.rounding = take_rounding(decoder);
  if (!decoder.take("F32") || !decoder.take("PACK_B")) decoder.unsupported("this conversion to .TF32");
  keep_conversion(instruction, form);
  instruction.d = decoder.write(0);
  instruction.a = plain_real(decoder, 1);
  instruction.execute = HWY_DYNAMIC_DISPATCH(Tf32Handler)();
}

}  // namespace

// Without types nvdisasm means .F16.F32, as it writes them for sm_8x.
void decode_pack_floats(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_e4m3 = decoder.take("E4M3"), is_e5m2 = !is_e4m3 && decoder.take("E5M2");
  if (is_e4m3 || is_e5m2) return decode_fp8(decoder, instruction, is_e5m2);
  if (decoder.take("TF32")) return decode_tf32(decoder, instruction);
  Conversion form;
  const bool is_bf16 = decoder.take("BF16");
  if (!is_bf16) decoder.take("F16");
  decoder.take("F32");
  form.result = is_bf16 ? Number::bf16 : Number::f16;
  form.relu = decoder.take("RELU");
  form.finite = decoder.take("SATFINITE");
  form.rounding = take_rounding(decoder);
  const bool is_single = decoder.take("MERGE_C");
  if (!is_single && !decoder.take("PACK_AB")) decoder.unsupported("neither .PACK_AB nor .MERGE_C");
  keep_conversion(instruction, form);
  instruction.d = decoder.write(0);
  instruction.a = plain_real(decoder, 1);
  instruction.immediate = is_single ? 1 : 0;
  if (is_single) {
    instruction.b = instruction.a;
    if (decoder.registers(2, 1) != decoder.zero()) decoder.unsupported("a half that is merged");
  } else {
    instruction.b = plain_real(decoder, 2);
  }
  const bool is_plain = !is_single && !form.finite && form.rounding == simt::Rounding::nearest_even;
  instruction.execute = is_plain ? HWY_DYNAMIC_DISPATCH(PackHandler)(is_bf16, form.relu)
                                 : HWY_DYNAMIC_DISPATCH(AnyPackHandler)();
}

// "I2IP.U4.S32.SAT R0, R1, R2, R3.24": the third source gives its low 32 - 2 n bits, n being the type's bits.
// They are written where n is below 8.
void decode_pack_integers(Decoder& decoder, simt::Instruction& instruction) {
  std::string name(decoder.take_next());
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto type = std::ranges::find(simt::packed_types, name, &simt::Packed::name);
  if (type == simt::packed_types.end()) decoder.unsupported("its type is not known");
  if (!decoder.take("S32") || !decoder.take("SAT")) decoder.unsupported("not .S32.SAT");
  instruction.type = static_cast<std::uint8_t>(type - simt::packed_types.begin());
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
  const Decoder::Source merged = decoder.source(3);
  check_real(decoder, merged, true);
  const std::string kept = type->bits < 8 ? std::to_string(32 - 2 * type->bits) : "";
  const bool is_zero = merged.slot == decoder.zero();
  if (merged.is_negated || merged.is_absolute || (merged.selector != kept && !is_zero) ||
      (type->bits == 16 && !is_zero)) {
    decoder.unsupported("the part of its third source is not known");
  }
  instruction.c = merged.slot;
  instruction.execute = HWY_DYNAMIC_DISPATCH(IntegersHandler)(false);
}

// "F2IP.U8.F32.TRUNC.NTZ R0, R1, R2, R3"
void decode_pack_float_integers(Decoder& decoder, simt::Instruction& instruction) {
  Conversion form;
  const bool is_signed = decoder.take("S8");
  if (!is_signed && !decoder.take("U8")) decoder.unsupported("its type is not known");
  if (!decoder.take("F32")) decoder.unsupported("not .F32");
  form.result = is_signed ? Number::s8 : Number::u8;
  form.flush = decoder.take("FTZ");
  form.nan_is_zero = decoder.take("NTZ");
  form.rounding = take_integral_rounding(decoder);
  form.to_integer = true;
  keep_conversion(instruction, form);
  instruction.d = decoder.write(0);
  instruction.a = plain_real(decoder, 1);
  instruction.b = plain_real(decoder, 2);
  instruction.c = decoder.plain(3);
  instruction.execute = HWY_DYNAMIC_DISPATCH(IntegersHandler)(true);
}

}  // namespace tilescope::sass
#endif
