#include <string>
#include <type_traits>

#include "profiler/execution/ptx/instructions/convert_form.hpp"
#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/float_facts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/convert.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/conversions-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"
#include "profiler/execution/simt/lanes/pack_floats-inl.hpp"

// Common conversions have loops of their own; all others use any_conversion().
HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <class Result, class Source>
Handler cast() {
  return unary<Cast<Result>, Result, Source>;
}

template <class Source>
Handler integer_to(int bytes) {
  return bytes == 2   ? cast<std::uint16_t, Source>()
         : bytes == 4 ? cast<std::uint32_t, Source>()
                      : cast<std::uint64_t, Source>();
}
Handler integer_to_integer(const ConvertForm& form) {
  switch (form.source) {
    case Type::u16:
      return integer_to<std::uint16_t>(form.result_bytes);
    case Type::s16:
      return integer_to<std::int16_t>(form.result_bytes);
    case Type::u32:
      return integer_to<std::uint32_t>(form.result_bytes);
    case Type::s32:
      return integer_to<std::int32_t>(form.result_bytes);
    case Type::u64:
    case Type::s64:
      return integer_to<std::uint64_t>(form.result_bytes);
    default:
      return nullptr;
  }
}

template <class Result>
Handler integer_to_float(Type source) {
  switch (source) {
    case Type::u32:
      return cast<Result, std::uint32_t>();
    case Type::s32:
      return cast<Result, std::int32_t>();
    case Type::u64:
      return cast<Result, std::uint64_t>();
    case Type::s64:
      return cast<Result, std::int64_t>();
    default:
      return nullptr;
  }
}

template <Rounding rounding>
Handler from_single(Type result, bool flush) {
  // Flushing a denormal makes no difference when rounding toward zero or to nearest (both give 0), but it does when
  // rounding down or up.
  const bool flush_matters = rounding == Rounding::down || rounding == Rounding::up;
  if (result == Type::f32)
    return flush ? unary<ToIntegral<rounding, true>, float> : unary<ToIntegral<rounding, false>, float>;
  if (flush && flush_matters) return nullptr;
  return result == Type::s32 ? unary<ToSigned<rounding>, std::int32_t, float>
                             : unary<ToUnsigned<rounding>, std::uint32_t, float>;
}
Handler single_to_integer(const ConvertForm& form) {
  switch (form.rounding) {
    case Rounding::nearest_even:
      return from_single<Rounding::nearest_even>(form.result, form.flush);
    case Rounding::toward_zero:
      return from_single<Rounding::toward_zero>(form.result, form.flush);
    case Rounding::down:
      return from_single<Rounding::down>(form.result, form.flush);
    default:
      return from_single<Rounding::up>(form.result, form.flush);
  }
}

template <class Format>
void half_to_single(Warp& warp, const Instruction& i) {
  alignas(64) float values[lane_count];
  Format::template promote<lane_count>(warp.read<std::uint16_t>(i.a), values);
  for_lanes(
      warp.exec, warp.write<float>(i.d), [](float value) { return canonical(value); },
      static_cast<const float*>(values));
}
template <class Format>
void single_to_half(Warp& warp, const Instruction& i) {
  alignas(64) std::uint16_t halves[lane_count];
  Format::template demote<lane_count>(warp.read<float>(i.a), halves);
  for_lanes(
      warp.exec, warp.write<std::uint16_t>(i.d), [](std::uint16_t half) { return half; },
      static_cast<const std::uint16_t*>(halves));
}

Handler PairHandler(Type result, bool relu) {
  if (result == Type::f16x2) return relu ? singles_to_pair<F16, true> : singles_to_pair<F16, false>;
  return relu ? singles_to_pair<BF16, true> : singles_to_pair<BF16, false>;
}

Handler FloatHandler(const ConvertForm& form) {
  const bool plain =
      !form.saturate && !form.relu && !form.to_integer && form.rounding == Rounding::nearest_even;
  if (form.finite) return nullptr;
  if (form.result == Type::tf32) {
    if (form.rounding != Rounding::nearest_even) return nullptr;
    if (form.ties_away)
      return form.relu ? unary<ToTf32<true, true>, float> : unary<ToTf32<true, false>, float>;
    return form.relu ? unary<ToTf32<false, true>, float> : unary<ToTf32<false, false>, float>;
  }
  if (form.source == Type::f32 && form.to_integer && !form.saturate &&
      (form.result == Type::f32 || (size_of(form.result) == 4 && form.result_bytes == 4))) {
    return single_to_integer(form);
  }
  if (!plain) return nullptr;
  // A denormal float is zero as an f16, flushed or not; as a bf16 it is not.
  if (form.source == Type::f32 && form.result == Type::f16) return single_to_half<F16>;
  if (form.flush) return nullptr;
  if (form.source == Type::f16 && form.result == Type::f32) return half_to_single<F16>;
  if (form.source == Type::bf16 && form.result == Type::f32) return half_to_single<BF16>;
  if (form.source == Type::f32 && form.result == Type::bf16) return single_to_half<BF16>;
  if (is_floating(form.source) || form.source_bytes != size_of(form.source)) return nullptr;
  if (form.result == Type::f32) return integer_to_float<float>(form.source);
  if (form.result == Type::f64) return integer_to_float<double>(form.source);
  return nullptr;
}

// A handler of its own, or nullptr.
Handler FastConversion(const ConvertForm& form) {
  if (is_floating(form.result) || is_floating(form.source)) return FloatHandler(form);
  const bool whole = size_of(form.source) == form.source_bytes && size_of(form.result) == form.result_bytes;
  return whole && !form.saturate ? integer_to_integer(form) : nullptr;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(FastConversion);
HWY_EXPORT(PairHandler);

void take_convert_rounding(Decoder& decoder, ConvertForm& form) {
  struct Word {
    std::string_view name;
    Rounding rounding;
    bool to_integer;
  };
  constexpr Word words[] = {
      {"rn", Rounding::nearest_even, false}, {"rz", Rounding::toward_zero, false},
      {"rm", Rounding::down, false},         {"rp", Rounding::up, false},
      {"rni", Rounding::nearest_even, true}, {"rzi", Rounding::toward_zero, true},
      {"rmi", Rounding::down, true},         {"rpi", Rounding::up, true},
  };
  for (const Word& word : words) {
    if (!decoder.take(word.name)) continue;
    form.rounding = word.rounding;
    form.to_integer = word.to_integer;
  }
  form.ties_away = decoder.take("rna");
}

bool is_integer(Type type) {
  return type >= Type::u8 && type <= Type::s64;
}
bool is_scalar_float(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

// The rounding modes that the ISA has from .f32 to halves and .tf32.
bool rounds_to_half(const ConvertForm& form) {
  return form.rounding == Rounding::nearest_even || form.rounding == Rounding::toward_zero;
}

void check_form(const Decoder& decoder, const ConvertForm& form) {
  const bool to_integer = is_integer(form.result), from_integer = is_integer(form.source);
  const bool known_result = to_integer || is_scalar_float(form.result) || form.result == Type::tf32;
  if (!known_result || (!from_integer && !is_scalar_float(form.source))) {
    decoder.unsupported("a conversion of ." + std::string(name_of(form.source)) + " to ." +
                        std::string(name_of(form.result)));
  }
  if (form.result == Type::tf32 &&
      (form.source != Type::f32 || form.saturate || form.flush || form.to_integer || !rounds_to_half(form))) {
    decoder.unsupported("this conversion to .tf32");
  }
  if (form.ties_away && form.result != Type::tf32) decoder.unsupported(".rna without .tf32");
  if (form.relu && to_integer) decoder.unsupported(".relu of an integer");
  if (to_integer && !from_integer && !form.to_integer) decoder.unsupported("no rounding to an integer");
  if (from_integer && form.to_integer) decoder.unsupported("rounding of an integer to an integer");
  const bool from_single = form.source == Type::f32;
  if (form.finite && (!from_single || (!is_half(form.result) && form.result != Type::tf32))) {
    decoder.unsupported(".satfinite of another conversion than .f32 to a half or .tf32");
  }
}

// [B] of a lane of a register that holds a value of the type. Integers may lie in wider ones.
int lane_bytes_for(const Decoder& decoder, const Decoder::Sized& value, Type type) {
  const bool fits = is_integer(type) ? value.bytes >= size_of(type) : value.bytes == size_of(type);
  if (!fits || value.bytes > 8) {
    decoder.unsupported("a register of " + std::to_string(8 * value.bytes) + " bits for a ." +
                        std::string(name_of(type)));
  }
  return value.lane_bytes;
}

// cvt.rn.f16x2.f32 d, a, b
void decode_pair(Decoder& decoder, Instruction& instruction, const ConvertForm& form) {
  if ((form.result != Type::f16x2 && form.result != Type::bf16x2) || form.source != Type::f32 ||
      form.to_integer || !rounds_to_half(form) || form.saturate || form.flush || form.ties_away) {
    decoder.unsupported("this conversion of two numbers");
  }
  keep_form(instruction, form);
  const bool plain = !form.finite && form.rounding == Rounding::nearest_even;
  instruction.execute =
      plain ? HWY_DYNAMIC_DISPATCH(PairHandler)(form.result, form.relu) : any_pair_conversion();
  decode_operands(decoder, instruction, form.result, Type::f32, Type::f32);
}

void decode_convert(Decoder& decoder, Instruction& instruction) {
  if (decoder.take("pack")) return decode_convert_pack(decoder, instruction);
  if (decode_fp8_conversion(decoder, instruction)) return;
  ConvertForm form;
  take_convert_rounding(decoder, form);
  form.finite = decoder.take("satfinite");
  form.relu = decoder.take("relu");
  form.flush = decoder.take("ftz");
  form.saturate = decoder.take("sat");
  form.result = decoder.take_type();
  form.source = decoder.take_type();
  if (decoder.operand_count() == 3) return decode_pair(decoder, instruction, form);
  check_form(decoder, form);
  const OperandSyntax& source = decoder.take_operand(1);
  if (source.kind == OperandSyntax::Kind::reg) {
    const Decoder::Sized sized = decoder.read_any(source);
    instruction.a = sized.slot;
    form.source_bytes = lane_bytes_for(decoder, sized, form.source);
  } else {
    const Type as_read = size_of(form.source) == 1 ? Type::u16 : form.source;  // lanes begin at 16 bits
    instruction.a = decoder.read(source, as_read);
    form.source_bytes = size_of(as_read);
  }
  const Decoder::Sized result = decoder.write_any(decoder.take_operand(0));
  instruction.d = result.slot;
  form.result_bytes = lane_bytes_for(decoder, result, form.result);
  keep_form(instruction, form);
  instruction.execute = HWY_DYNAMIC_DISPATCH(FastConversion)(form);
  if (instruction.execute == nullptr) instruction.execute = any_conversion();
  const bool integers = is_integer(form.result) && is_integer(form.source);
  if (integers) decoder.set_pipe(Pipe::alu);
}

constexpr Opcode opcodes[] = {{"cvt", decode_convert, Pipe::convert, DataUse::registers, conversion_floats}};

}  // namespace

std::span<const Opcode> convert_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
