#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/float_facts.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"
#include "profiler/execution/ptx/instructions/integer_form.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/integer.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/integer_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// One handler serves signed and unsigned types: the bits are the same.
template <class Operation>
Handler of_size(int bytes) {
  switch (bytes) {
    case 2:
      return binary<Operation, std::uint16_t>;
    case 4:
      return binary<Operation, std::uint32_t>;
    default:
      return binary<Operation, std::uint64_t>;
  }
}

template <class Operation>
Handler of_type(Type type) {
  switch (type) {
    case Type::u16:
      return binary<Operation, std::uint16_t>;
    case Type::s16:
      return binary<Operation, std::int16_t>;
    case Type::u32:
      return binary<Operation, std::uint32_t>;
    case Type::s32:
      return binary<Operation, std::int32_t>;
    case Type::u64:
      return binary<Operation, std::uint64_t>;
    default:
      return binary<Operation, std::int64_t>;
  }
}

template <class Operation>
Handler of_signed_type(Type type) {
  switch (type) {
    case Type::s16:
      return unary<Operation, std::int16_t>;
    case Type::s32:
      return unary<Operation, std::int32_t>;
    default:
      return unary<Operation, std::int64_t>;
  }
}

Handler multiply_wide(Type type) {
  switch (type) {
    case Type::u16:
      return binary<MultiplyWide, std::uint32_t, std::uint16_t>;
    case Type::s16:
      return binary<MultiplyWide, std::int32_t, std::int16_t>;
    case Type::u32:
      return binary<MultiplyWide, std::uint64_t, std::uint32_t>;
    default:
      return binary<MultiplyWide, std::int64_t, std::int32_t>;
  }
}

Handler multiply_add_wide(Type type) {
  switch (type) {
    case Type::u16:
      return ternary<MultiplyAddWide, std::uint32_t, std::uint16_t, std::uint16_t, std::uint32_t>;
    case Type::s16:
      return ternary<MultiplyAddWide, std::int32_t, std::int16_t, std::int16_t, std::int32_t>;
    case Type::u32:
      return ternary<MultiplyAddWide, std::uint64_t, std::uint32_t, std::uint32_t, std::uint64_t>;
    default:
      return ternary<MultiplyAddWide, std::int64_t, std::int32_t, std::int32_t, std::int64_t>;
  }
}

Handler multiply_add_low(int bytes) {
  switch (bytes) {
    case 2:
      return ternary<MultiplyAddLow, std::uint16_t>;
    case 4:
      return ternary<MultiplyAddLow, std::uint32_t>;
    default:
      return ternary<MultiplyAddLow, std::uint64_t>;
  }
}

Handler multiply_add_high(Type type) {
  switch (type) {
    case Type::u16:
      return ternary<MultiplyAddHigh, std::uint16_t>;
    case Type::s16:
      return ternary<MultiplyAddHigh, std::int16_t>;
    case Type::u32:
      return ternary<MultiplyAddHigh, std::uint32_t>;
    case Type::s32:
      return ternary<MultiplyAddHigh, std::int32_t>;
    case Type::u64:
      return ternary<MultiplyAddHigh, std::uint64_t>;
    default:
      return ternary<MultiplyAddHigh, std::int64_t>;
  }
}

template <bool high>
Handler multiply_24(bool with_sign, bool with_sum) {
  if (with_sum) {
    return with_sign ? ternary<MultiplyAdd24<high>, std::int32_t>
                     : ternary<MultiplyAdd24<high>, std::uint32_t>;
  }
  return with_sign ? binary<Multiply24<high>, std::int32_t> : binary<Multiply24<high>, std::uint32_t>;
}

Handler SumHandler(IntegerForm form, Type type) {
  switch (form) {
    case IntegerForm::add:
      return of_size<Add>(size_of(type));
    case IntegerForm::subtract:
      return of_size<Subtract>(size_of(type));
    case IntegerForm::add_saturated:
      return binary<AddSaturated, std::int32_t>;
    case IntegerForm::subtract_saturated:
      return binary<SubtractSaturated, std::int32_t>;
    case IntegerForm::minimum:
      return of_type<Minimum>(type);
    case IntegerForm::maximum:
      return of_type<Maximum>(type);
    case IntegerForm::minimum_relu:
      return binary<MinimumRelu, std::int32_t>;
    case IntegerForm::maximum_relu:
      return binary<MaximumRelu, std::int32_t>;
    case IntegerForm::negate:
      return of_signed_type<Negate>(type);
    case IntegerForm::absolute:
      return of_signed_type<Absolute>(type);
    default:
      return nullptr;
  }
}

Handler ProductHandler(IntegerForm form, Type type) {
  switch (form) {
    case IntegerForm::multiply_low:
      return of_size<MultiplyLow>(size_of(type));
    case IntegerForm::multiply_high:
      return of_type<MultiplyHigh>(type);
    case IntegerForm::multiply_wide:
      return multiply_wide(type);
    case IntegerForm::multiply_add_low:
      return multiply_add_low(size_of(type));
    case IntegerForm::multiply_add_high:
      return multiply_add_high(type);
    case IntegerForm::multiply_add_high_saturated:
      return ternary<MultiplyAddHighSaturated, std::int32_t>;
    case IntegerForm::multiply_add_wide:
      return multiply_add_wide(type);
    case IntegerForm::multiply_24_low:
      return multiply_24<false>(is_signed(type), false);
    case IntegerForm::multiply_24_high:
      return multiply_24<true>(is_signed(type), false);
    case IntegerForm::multiply_add_24_low:
      return multiply_24<false>(is_signed(type), true);
    case IntegerForm::multiply_add_24_high:
      return multiply_24<true>(is_signed(type), true);
    case IntegerForm::multiply_add_24_high_saturated:
      return ternary<MultiplyAdd24HighSaturated, std::int32_t>;
    default:
      return nullptr;
  }
}

// c + |a - b|
struct SumOfDifference {
  template <class T, class C>
  C operator()(T a, T b, C c) const {
    using U = std::make_unsigned_t<T>;
    const U difference = a > b ? static_cast<U>(Unsigned<T>(a) - Unsigned<T>(b))
                               : static_cast<U>(Unsigned<T>(b) - Unsigned<T>(a));
    return static_cast<C>(Unsigned<C>(c) + difference);
  }
};

Handler DifferenceHandler(Type type) {
  switch (type) {
    case Type::u16:
      return ternary<SumOfDifference, std::uint16_t>;
    case Type::s16:
      return ternary<SumOfDifference, std::int16_t>;
    case Type::u32:
      return ternary<SumOfDifference, std::uint32_t>;
    case Type::s32:
      return ternary<SumOfDifference, std::int32_t>;
    case Type::u64:
      return ternary<SumOfDifference, std::uint64_t>;
    default:
      return ternary<SumOfDifference, std::int64_t>;
  }
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(SumHandler);
HWY_EXPORT(ProductHandler);
HWY_EXPORT(DifferenceHandler);

// 16, 32 or 64 bits, s or u.
Type take_integer_type(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (type < Type::u16 || type > Type::s64 || type == Type::s8) {
    decoder.unsupported("'." + std::string(name_of(type)) + "' for integer arithmetic");
  }
  return type;
}

Type wider(Type type) {
  return static_cast<Type>(static_cast<int>(type) + 1);
}
static_assert(static_cast<int>(Type::u16) + 1 == static_cast<int>(Type::u32) &&
              static_cast<int>(Type::u32) + 1 == static_cast<int>(Type::u64) &&
              static_cast<int>(Type::s16) + 1 == static_cast<int>(Type::s32) &&
              static_cast<int>(Type::s32) + 1 == static_cast<int>(Type::s64));

void decode_sum(Decoder& decoder, Instruction& instruction) {
  if (is_floating(last_type(decoder))) return decode_float_arithmetic(decoder, instruction);
  if (decoder.syntax().words.size() > 1 && decoder.syntax().words[1] == "cc")
    return decode_carry(decoder, instruction);
  const bool saturated = decoder.take("sat");
  const Type type = take_integer_type(decoder);
  if (saturated && type != Type::s32) decoder.unsupported(".sat of a type that is not .s32");
  const bool is_sum = decoder.opcode() == "add";
  const IntegerForm form = saturated ? (is_sum ? IntegerForm::add_saturated : IntegerForm::subtract_saturated)
                                     : (is_sum ? IntegerForm::add : IntegerForm::subtract);
  instruction.execute = HWY_DYNAMIC_DISPATCH(SumHandler)(form, type);
  decode_operands(decoder, instruction, type, type, type);
}

void decode_product(Decoder& decoder, Instruction& instruction) {
  if (is_floating(last_type(decoder))) return decode_float_arithmetic(decoder, instruction);
  decoder.set_pipe(Pipe::fma);
  const bool wide = decoder.take("wide");
  const bool high = !wide && decoder.take("hi");
  if (!wide && !high && !decoder.take("lo")) decoder.unsupported("none of .lo, .hi and .wide");
  const Type type = take_integer_type(decoder);
  if (wide && size_of(type) == 8) decoder.unsupported(".wide of a 64-bit type");
  const IntegerForm form = wide   ? IntegerForm::multiply_wide
                           : high ? IntegerForm::multiply_high
                                  : IntegerForm::multiply_low;
  instruction.execute = HWY_DYNAMIC_DISPATCH(ProductHandler)(form, type);
  decode_operands(decoder, instruction, wide ? wider(type) : type, type, type);
}

void decode_multiply_add(Decoder& decoder, Instruction& instruction) {
  if (is_floating(last_type(decoder))) return decode_float_arithmetic(decoder, instruction);
  for (const std::string_view word : decoder.syntax().words) {
    if (word == "cc") return decode_carry(decoder, instruction);
  }
  const bool wide = decoder.take("wide");
  const bool high = !wide && decoder.take("hi");
  if (!wide && !high && !decoder.take("lo")) decoder.unsupported("none of .lo, .hi and .wide");
  const bool saturated = high && decoder.take("sat");
  const Type type = take_integer_type(decoder);
  if (wide && size_of(type) == 8) decoder.unsupported(".wide of a 64-bit type");
  if (saturated && type != Type::s32) decoder.unsupported(".sat of a type that is not .s32");
  const IntegerForm form = wide        ? IntegerForm::multiply_add_wide
                           : saturated ? IntegerForm::multiply_add_high_saturated
                           : high      ? IntegerForm::multiply_add_high
                                       : IntegerForm::multiply_add_low;
  instruction.execute = HWY_DYNAMIC_DISPATCH(ProductHandler)(form, type);
  const Type sum = wide ? wider(type) : type;
  decode_operands(decoder, instruction, sum, type, type, sum);
}

void decode_product_24(Decoder& decoder, Instruction& instruction) {
  const bool with_sum = decoder.opcode() == "mad24";
  const bool high = decoder.take("hi");
  if (!high && !decoder.take("lo")) decoder.unsupported("neither .lo nor .hi");
  const bool saturated = high && with_sum && decoder.take("sat");
  const Type type = take_integer_type(decoder);
  if (size_of(type) != 4) decoder.unsupported("24-bit products are of .u32 and .s32");
  if (saturated && type != Type::s32) decoder.unsupported(".sat of a type that is not .s32");
  IntegerForm form = high ? IntegerForm::multiply_24_high : IntegerForm::multiply_24_low;
  if (with_sum) form = high ? IntegerForm::multiply_add_24_high : IntegerForm::multiply_add_24_low;
  if (saturated) form = IntegerForm::multiply_add_24_high_saturated;
  instruction.execute = HWY_DYNAMIC_DISPATCH(ProductHandler)(form, type);
  decode_operands(decoder, instruction, type, type, type);
  if (with_sum) instruction.c = decoder.read(3, type);
}

void decode_minmax(Decoder& decoder, Instruction& instruction) {
  if (is_floating(last_type(decoder))) return decode_float_minmax(decoder, instruction);
  const bool relu = decoder.take("relu");
  const Type type = take_integer_type(decoder);
  if (relu && type != Type::s32) decoder.unsupported(".relu of a type that is not .s32");
  const bool is_minimum = decoder.opcode() == "min";
  const IntegerForm form = relu ? (is_minimum ? IntegerForm::minimum_relu : IntegerForm::maximum_relu)
                                : (is_minimum ? IntegerForm::minimum : IntegerForm::maximum);
  instruction.execute = HWY_DYNAMIC_DISPATCH(SumHandler)(form, type);
  decode_operands(decoder, instruction, type, type, type);
}

void decode_sign(Decoder& decoder, Instruction& instruction) {
  if (is_floating(last_type(decoder))) return decode_float_sign(decoder, instruction);
  const Type type = take_integer_type(decoder);
  if (!is_signed(type)) decoder.unsupported("an unsigned type");
  const IntegerForm form = decoder.opcode() == "neg" ? IntegerForm::negate : IntegerForm::absolute;
  instruction.execute = HWY_DYNAMIC_DISPATCH(SumHandler)(form, type);
  decode_operands(decoder, instruction, type, type);
}

void decode_quotient(Decoder& decoder, Instruction& instruction) {
  if (is_floating(last_type(decoder))) return decode_float_division(decoder, instruction);
  decode_integer_division(decoder, instruction);
}

void decode_difference(Decoder& decoder, Instruction& instruction) {
  const Type type = take_integer_type(decoder);
  instruction.execute = HWY_DYNAMIC_DISPATCH(DifferenceHandler)(type);
  decode_operands(decoder, instruction, type, type, type, type);
}

constexpr Opcode opcodes[] = {
    {"add", decode_sum, Pipe::alu, DataUse::registers, arithmetic_floats},
    {"sub", decode_sum, Pipe::alu, DataUse::registers, arithmetic_floats},
    {"mul", decode_product, Pipe::fma, DataUse::registers, arithmetic_floats},
    {"mad", decode_multiply_add, Pipe::fma, DataUse::registers, arithmetic_floats},
    {"mul24", decode_product_24, Pipe::fma},
    {"mad24", decode_product_24, Pipe::fma},
    {"addc", decode_carry, Pipe::alu},
    {"subc", decode_carry, Pipe::alu},
    {"madc", decode_carry, Pipe::fma},
    {"div", decode_quotient, Pipe::alu, DataUse::registers, arithmetic_floats},
    {"rem", decode_integer_division, Pipe::alu},
    {"neg", decode_sign, Pipe::alu, DataUse::registers, arithmetic_floats},
    {"abs", decode_sign, Pipe::alu, DataUse::registers, arithmetic_floats},
    {"min", decode_minmax, Pipe::alu, DataUse::registers, arithmetic_floats},
    {"max", decode_minmax, Pipe::alu, DataUse::registers, arithmetic_floats},
    {"sad", decode_difference, Pipe::alu},
    {"dp4a", decode_dot, Pipe::fma},
    {"dp2a", decode_dot, Pipe::fma},
};

}  // namespace

std::span<const Opcode> integer_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
