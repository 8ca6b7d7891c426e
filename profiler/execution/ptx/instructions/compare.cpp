#include <array>
#include <string>

#include "profiler/execution/ptx/instructions/comparison.hpp"
#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/compare_masks-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/half_lanes-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

template <class Base, class T>
void set_predicate(Warp& warp, const Instruction& i) {
  set_predicates(warp, i, compare_lanes<Base>(warp.read<T>(i.a), warp.read<T>(i.b)));
}

template <class Base>
void set_predicate_flushed(Warp& warp, const Instruction& i) {
  alignas(64) float a[lane_count], b[lane_count];
  for_lanes(
      all_lanes, a, [](float value) { return flushed(value); }, warp.read<float>(i.a));
  for_lanes(
      all_lanes, b, [](float value) { return flushed(value); }, warp.read<float>(i.b));
  set_predicates(warp, i, compare_lanes<Base>(a, b));
}

template <class Base>
Handler predicate_of_integers(Type type) {
  switch (size_of(type)) {
    case 2:
      return is_signed(type) ? set_predicate<Base, std::int16_t> : set_predicate<Base, std::uint16_t>;
    case 4:
      return is_signed(type) ? set_predicate<Base, std::int32_t> : set_predicate<Base, std::uint32_t>;
    default:
      return is_signed(type) ? set_predicate<Base, std::int64_t> : set_predicate<Base, std::uint64_t>;
  }
}
template <class Base>
Handler predicate_of(Type type, bool flush) {
  if (type == Type::f64) return set_predicate<Base, double>;
  if (type == Type::f32) return flush ? set_predicate_flushed<Base> : set_predicate<Base, float>;
  return predicate_of_integers<Base>(type);
}

Handler PredicateHandler(BaseComparison base, Type type, bool flush) {
  switch (base) {
    case BaseComparison::equal:
      return predicate_of<Equal>(type, flush);
    case BaseComparison::less:
      return predicate_of<Less>(type, flush);
    case BaseComparison::less_or_equal:
      return predicate_of<LessOrEqual>(type, flush);
    case BaseComparison::less_or_greater:
      return type == Type::f64 ? set_predicate<LessOrGreater, double>
             : flush           ? set_predicate_flushed<LessOrGreater>
                               : set_predicate<LessOrGreater, float>;
    default:
      return type == Type::f64 ? set_predicate<Numbers, double> : set_predicate<Numbers, float>;
  }
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {

HWY_EXPORT(PredicateHandler);

namespace {

// Names for comparisons of unsigned integers.
struct Alias {
  std::string_view name, meaning;
};
constexpr std::array aliases = {Alias{"lo", "lt"}, Alias{"ls", "le"}, Alias{"hi", "gt"}, Alias{"hs", "ge"}};

const NamedComparison* find_comparison(std::string_view name, Type type) {
  const bool is_unsigned = type == Type::u16 || type == Type::u32 || type == Type::u64;
  for (const Alias& alias : aliases) {
    if (alias.name == name && is_unsigned) name = alias.meaning;
  }
  for (const NamedComparison& candidate : comparisons) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

bool can_be_compared(Type type) {
  return (size_of(type) >= 2 && size_of(type) <= 8 && type != Type::tf32) || is_half(type);
}

Combination take_combination(Decoder& decoder) {
  if (decoder.take("and")) return Combination::with_and;
  if (decoder.take("or")) return Combination::with_or;
  if (decoder.take("xor")) return Combination::with_xor;
  return Combination::none;
}

void take_third(Decoder& decoder, Instruction& instruction, Combination combination) {
  if (combination == Combination::none) return;
  const Decoder::Predicate predicate = decoder.read_predicate(3);
  instruction.c = predicate.slot;
  instruction.flags =
      static_cast<std::uint8_t>(instruction.flags | (predicate.negated ? negated_predicate_flag : 0) |
                                static_cast<int>(combination) << combination_shift);
}

void read_compared(Decoder& decoder, Instruction& instruction, Comparison comparison, Type type) {
  const Slot a = decoder.read(1, type);
  const Slot b = decoder.read(2, type);
  instruction.a = comparison.swapped ? b : a;
  instruction.b = comparison.swapped ? a : b;
  if (comparison.inverted) instruction.flags |= inverted_flag;
}

// For slow_compare.cpp.
void describe(Instruction& instruction, Comparison comparison, Type type, bool flush) {
  instruction.type = static_cast<std::uint8_t>(type);
  instruction.count = static_cast<std::uint8_t>(comparison.base);
  instruction.width = flush ? 1 : 0;
}

void decode_setp(Decoder& decoder, Instruction& instruction) {
  const Type type = last_type(decoder);
  const Comparison comparison = take_comparison(decoder, type);
  const Combination combination = take_combination(decoder);
  const bool flush = decoder.take("ftz");
  decoder.take_type();
  if (flush && type != Type::f32 && type != Type::f16 && type != Type::f16x2) {
    decoder.unsupported(".ftz of a type that is not .f32 or .f16");
  }
  if (type == Type::f64) decoder.set_pipe(Pipe::fp64);
  describe(instruction, comparison, type, flush);
  instruction.execute =
      is_half(type) ? slow_setp() : HWY_DYNAMIC_DISPATCH(PredicateHandler)(comparison.base, type, flush);
  const OperandSyntax& result = decoder.take_operand(0);
  const bool is_pair = result.kind == OperandSyntax::Kind::pair;
  instruction.d = decoder.write_predicate(is_pair ? result.elements.at(0) : result);
  const bool packed = type == Type::f16x2 || type == Type::bf16x2;
  if (packed && !is_pair) decoder.unsupported("a packed comparison without its pair of predicates");
  read_compared(decoder, instruction, comparison, type);
  take_third(decoder, instruction, combination);
  if (is_pair) {
    const Slot second = decoder.write_predicate(result.elements.at(1));
    decoder.more_operands(instruction, std::span(&second, 1));
  }
}

void decode_set(Decoder& decoder, Instruction& instruction) {
  const Type source = last_type(decoder);
  const Comparison comparison = take_comparison(decoder, source);
  const Combination combination = take_combination(decoder);
  const bool flush = decoder.take("ftz");
  const Type result = decoder.take_type();
  decoder.take_type();
  if (flush && source != Type::f32 && source != Type::f16 && source != Type::f16x2) {
    decoder.unsupported(".ftz of a type that is not .f32 or .f16");
  }
  describe(instruction, comparison, source, flush);
  decode_set_result(decoder, instruction, result, source);
  read_compared(decoder, instruction, comparison, source);
  take_third(decoder, instruction, combination);
}

constexpr Opcode opcodes[] = {
    {"setp", decode_setp, Pipe::alu, DataUse::no_number},
    {"set", decode_set, Pipe::alu},
    {"selp", decode_select, Pipe::alu},
    {"slct", decode_select_by_sign, Pipe::alu},
};

}  // namespace

Comparison take_comparison(Decoder& decoder, Type type) {
  if (!can_be_compared(type)) decoder.unsupported("a comparison of ." + std::string(name_of(type)));
  const std::string_view name = decoder.take_next();
  const NamedComparison* named = find_comparison(name, type);
  const bool of_integers = !is_floating(type);
  if (named == nullptr || (of_integers && !named->for_integers)) {
    decoder.unsupported("the comparison ." + std::string(name) + " of ." + std::string(name_of(type)));
  }
  const bool of_bits = type == Type::b16 || type == Type::b32 || type == Type::b64;
  const bool only_equality = named->name == "eq" || named->name == "ne";
  if (of_bits && !only_equality) decoder.unsupported("an order of bits without a sign");
  if (of_integers && named->name == "ne") return {BaseComparison::equal, false, true};
  return named->of_numbers;
}

std::span<const Opcode> compare_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
