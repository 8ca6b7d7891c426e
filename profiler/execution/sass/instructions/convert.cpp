#include "profiler/execution/sass/instructions/convert_forms.hpp"
#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/float_facts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/convert.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/double_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/any_conversion-inl.hpp"
#include "profiler/execution/simt/lanes/conversions-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

// F2F, F2I, I2F, I2FP, I2I and FRND: one number to another. Common ones have loops of their own, the others convert lane
// after lane. Integers of 8 and 16 bits fill their register by their sign or zeros; halves leave its upper half zero.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::bytes_of, simt::Conversion, simt::Handler, simt::Instruction, simt::lane_count, simt::Number,
    simt::Rounding, simt::Warp;

HWY_INLINE void read_numbers(const Warp& warp, const Instruction& i, Number type, std::uint64_t* numbers) {
  if (bytes_of(type) == 8) {
    read_pairs(warp, i.a, numbers);
  } else {
    const std::uint32_t* a = warp.read<std::uint32_t>(i.a);
    for (int lane = 0; lane < lane_count; ++lane) numbers[lane] = a[lane] >> i.target;
  }
  const std::uint64_t sign_bit = std::uint64_t{1} << (8 * bytes_of(type) - 1);
  const std::uint64_t keep = (i.immediate & absolute_sign) != 0 ? ~sign_bit : ~std::uint64_t{0};
  const std::uint64_t flip = (i.immediate & negated_sign) != 0 ? sign_bit : 0;
  for (int lane = 0; lane < lane_count; ++lane) numbers[lane] = (numbers[lane] & keep) ^ flip;
}

void convert_any(Warp& warp, const Instruction& i) {
  const Conversion form = conversion_of(i);
  alignas(64) std::uint64_t numbers[lane_count];
  read_numbers(warp, i, form.source, numbers);
  for (int lane = 0; lane < lane_count; ++lane) {
    if ((warp.exec >> lane & 1u) != 0) numbers[lane] = converted(numbers[lane], form);
  }
  if (bytes_of(form.result) == 8) {
    write_pairs(warp, i.d, numbers);
  } else {
    for_lanes(
        warp.exec, warp.write<std::uint32_t>(i.d),
        [](std::uint64_t number) { return static_cast<std::uint32_t>(number); },
        static_cast<const std::uint64_t*>(numbers));
  }
}

template <Rounding rounding>
Handler from_single(const Conversion& form) {
  if (form.result == Number::f32)
    return form.flush ? unary<ToIntegral<rounding, true>, float> : unary<ToIntegral<rounding, false>, float>;
  // Flushing a denormal matters only where it would round away from zero.
  if (form.flush && (rounding == Rounding::down || rounding == Rounding::up)) return nullptr;
  if (!form.nan_is_zero) return nullptr;
  if (form.result == Number::s32) return unary<ToSigned<rounding>, std::int32_t, float>;
  if (form.result == Number::u32) return unary<ToUnsigned<rounding>, std::uint32_t, float>;
  return nullptr;
}
Handler to_integral_single(const Conversion& form) {
  switch (form.rounding) {
    case Rounding::nearest_even:
      return from_single<Rounding::nearest_even>(form);
    case Rounding::toward_zero:
      return from_single<Rounding::toward_zero>(form);
    case Rounding::down:
      return from_single<Rounding::down>(form);
    default:
      return from_single<Rounding::up>(form);
  }
}

// Handler for a conversion of a whole register without signs.
Handler fast_conversion(const Conversion& form) {
  if (form.saturate) return nullptr;
  if (form.to_integer && form.source == Number::f32) return to_integral_single(form);
  if (form.to_integer || form.rounding != Rounding::nearest_even || form.result != Number::f32)
    return nullptr;
  if (form.source == Number::s32) return unary<Cast<float>, float, std::int32_t>;
  if (form.source == Number::u32) return unary<Cast<float>, float, std::uint32_t>;
  return nullptr;
}

Handler ConversionHandler(const Instruction& i) {
  const bool is_plain = i.immediate == 0 && i.target == 0;
  const Handler fast = is_plain ? fast_conversion(conversion_of(i)) : nullptr;
  return fast != nullptr ? fast : convert_any;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(ConversionHandler);

using simt::Conversion, simt::Number;

struct NamedNumber {
  std::string_view name;
  Number number;
};
constexpr NamedNumber floats[] = {
    {"F16", Number::f16}, {"BF16", Number::bf16}, {"F32", Number::f32}, {"F64", Number::f64}};
constexpr NamedNumber integers[] = {{"U8", Number::u8},   {"S8", Number::s8},   {"U16", Number::u16},
                                    {"S16", Number::s16}, {"U32", Number::u32}, {"S32", Number::s32},
                                    {"U64", Number::u64}, {"S64", Number::s64}};

Number take_number(Decoder& decoder, std::span<const NamedNumber> names, Number unnamed) {
  for (const NamedNumber& named : names) {
    if (decoder.take(named.name)) return named.number;
  }
  return unnamed;
}

// The first of two types is the result's.
Number take_next_number(Decoder& decoder, std::span<const NamedNumber> names) {
  const std::string_view name = decoder.take_next();
  const auto named = std::ranges::find(names, name, &NamedNumber::name);
  if (named == names.end()) decoder.unsupported("its types are not known");
  return named->number;
}

// "H1" of 16 bits, "B2" of 8: how far the source lies from the register's end.
unsigned shift_of(const Decoder& decoder, std::string_view part, Number type) {
  if (part.empty()) return 0;
  const bool is_half = simt::bytes_of(type) == 2 && part.size() == 2 && part[0] == 'H';
  const bool is_byte = simt::bytes_of(type) == 1 && part.size() == 2 && part[0] == 'B';
  const unsigned place = static_cast<unsigned>(part.back() - '0');
  if (is_half && place < 2) return 16 * place;
  if (is_byte && place < 4) return 8 * place;
  decoder.unsupported("the part of its source is not known");
}

void decode_operands(Decoder& decoder, simt::Instruction& instruction, const Conversion& form) {
  keep_conversion(instruction, form);
  instruction.d = decoder.write(0, simt::bytes_of(form.result) == 8 ? 2 : 1);
  const bool is_float = !is_integer(form.source);
  const bool is_pair = simt::bytes_of(form.source) == 8;
  // A 64-bit immediate is the upper half, also of an integer: I2F.U64 R11, 0x3ff00000.
  const Decoder::Source source = is_pair ? decoder.real64(1) : is_float ? decoder.real(1) : decoder.source(1);
  check_real(decoder, source, true);
  if (!is_float && (source.is_negated || source.is_absolute)) decoder.unsupported("the sign of an integer");
  instruction.a = source.slot;
  instruction.target = shift_of(decoder, source.selector, form.source);
  instruction.immediate = (source.is_absolute ? absolute_sign : 0) | (source.is_negated ? negated_sign : 0);
  instruction.execute = HWY_DYNAMIC_DISPATCH(ConversionHandler)(instruction);
}

// "F2F.FTZ.BF16.F32.RM"
void decode_float_to_float(Decoder& decoder, simt::Instruction& instruction) {
  Conversion form;
  form.flush = decoder.take("FTZ");
  form.rounding = take_rounding(decoder);
  form.result = take_next_number(decoder, floats);
  form.source = take_next_number(decoder, floats);
  decode_operands(decoder, instruction, form);
}

// "F2I.FTZ.U32.F16.TRUNC.NTZ"; without .NTZ a NaN becomes the lowest signed number's bits.
void decode_float_to_integer(Decoder& decoder, simt::Instruction& instruction) {
  Conversion form;
  form.flush = decoder.take("FTZ");
  form.nan_is_zero = decoder.take("NTZ");
  form.rounding = take_integral_rounding(decoder);
  form.to_integer = true;
  form.result = take_number(decoder, integers, Number::s32);
  form.source = take_number(decoder, floats, Number::f32);
  decode_operands(decoder, instruction, form);
}

// "I2F.F64.U16.RP", "I2FP.F32.S32"
void decode_integer_to_float(Decoder& decoder, simt::Instruction& instruction) {
  Conversion form;
  form.rounding = take_rounding(decoder);
  form.result = take_number(decoder, floats, Number::f32);
  form.source = take_number(decoder, integers, Number::s32);
  decode_operands(decoder, instruction, form);
}

// "FRND.FTZ.F16.FLOOR"
void decode_round(Decoder& decoder, simt::Instruction& instruction) {
  Conversion form;
  form.flush = decoder.take("FTZ");
  form.rounding = take_integral_rounding(decoder);
  form.to_integer = true;
  form.result = take_number(decoder, floats, Number::f32);
  form.source = form.result;
  decode_operands(decoder, instruction, form);
}

// "I2I.S8.S32.SAT"
void decode_integer_to_integer(Decoder& decoder, simt::Instruction& instruction) {
  Conversion form;
  form.saturate = decoder.take("SAT");
  form.result = take_next_number(decoder, integers);
  form.source = take_next_number(decoder, integers);
  decode_operands(decoder, instruction, form);
}

void read_conversion(const InstructionParts& parts, simt::MachineFacts& facts) {
  facts.has_64_bits = parts.has("F64") || parts.has("S64") || parts.has("U64");
}

constexpr Opcode opcodes[] = {
    {"F2F", decode_float_to_float, simt::Pipe::convert, HardwarePipe::xu, Effect::delayed_result,
     read_conversion},
    {"F2I", decode_float_to_integer, simt::Pipe::convert, HardwarePipe::xu, Effect::delayed_result,
     read_conversion},
    {"I2F", decode_integer_to_float, simt::Pipe::convert, HardwarePipe::xu, Effect::delayed_result,
     read_conversion},
    {"I2FP", decode_integer_to_float, simt::Pipe::alu, HardwarePipe::alu},
    {"I2I", decode_integer_to_integer, simt::Pipe::alu, HardwarePipe::alu},
    {"FRND", decode_round, simt::Pipe::convert, HardwarePipe::xu, Effect::delayed_result, read_conversion},
    Opcode{"F2FP", decode_pack_floats, simt::Pipe::alu, HardwarePipe::alu}.computes(packed_floats),
    {"I2IP", decode_pack_integers, simt::Pipe::alu, HardwarePipe::alu},
    {"F2IP", decode_pack_float_integers, simt::Pipe::alu, HardwarePipe::alu},
};

}  // namespace

std::span<const Opcode> convert_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
