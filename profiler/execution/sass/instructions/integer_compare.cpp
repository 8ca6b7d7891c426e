#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/integer_family.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/integer_compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"
#include "profiler/execution/simt/lanes/compare_masks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

template <class Comparison, class T>
void compare_integers(Warp& warp, const Instruction& i) {
  set_predicates(warp, i, compare_lanes<Comparison>(warp.read<T>(i.a), warp.read<T>(i.b)));
}
// Writes only d, as the comparison alone says.
template <class Comparison, class T, bool inverted>
void compare_alone(Warp& warp, const Instruction& i) {
  const LaneMask compared = compare_lanes<Comparison>(warp.read<T>(i.a), warp.read<T>(i.b));
  warp.set_mask(i.d, inverted ? ~compared : compared);
}

// .EX: a and b are the high words of 64-bit numbers and the second further operand (negated where `width` is 1) says how
// their low words compare, which decides where the high ones are equal.
template <class Comparison, class T>
void compare_high(Warp& warp, const Instruction& i) {
  const T *a = warp.read<T>(i.a), *b = warp.read<T>(i.b);
  const LaneMask low = warp.mask(warp.operands(i)[1]) ^ (i.width != 0 ? all_lanes : 0);
  const LaneMask equal = compare_lanes<Equal>(a, b);
  LaneMask strict = 0;
  if constexpr (std::is_same_v<Comparison, Less>) {
    strict = compare_lanes<Less>(a, b);
  } else {
    strict = i.count != 0 ? ~equal : 0;  // NE, EQ
  }
  set_predicates(warp, i, strict | (equal & low));
}
// F and T: the comparison is the immediate.
void compare_nothing(Warp& warp, const Instruction& i) {
  set_predicates(warp, i, i.immediate != 0 ? all_lanes : 0);
}

template <class Comparison, class T>
Handler comparison_of(CompareForm form) {
  switch (form) {
    case CompareForm::alone:
      return compare_alone<Comparison, T, false>;
    case CompareForm::inverted_alone:
      return compare_alone<Comparison, T, true>;
    case CompareForm::combined:
      return compare_integers<Comparison, T>;
    default:
      return compare_high<Comparison, T>;
  }
}
Handler IntegerCompareHandler(CompareForm form, simt::BaseComparison base, bool with_sign) {
  if (form == CompareForm::nothing) return compare_nothing;
  if (base == simt::BaseComparison::equal) return comparison_of<Equal, std::uint32_t>(form);
  return with_sign ? comparison_of<Less, std::int32_t>(form) : comparison_of<Less, std::uint32_t>(form);
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(IntegerCompareHandler);

using simt::BaseComparison;

// Less and equal are enough: the others have their operands swapped or the result inverted.
struct NamedComparison {
  std::string_view name;
  simt::Comparison comparison;
};
constexpr NamedComparison comparisons[] = {
    {"LT", {BaseComparison::less, false, false}},  {"GT", {BaseComparison::less, true, false}},
    {"GE", {BaseComparison::less, false, true}},   {"LE", {BaseComparison::less, true, true}},
    {"EQ", {BaseComparison::equal, false, false}}, {"NE", {BaseComparison::equal, false, true}},
};

simt::Combination take_integer_combination(Decoder& decoder) {
  if (decoder.take("AND")) return simt::Combination::with_and;
  if (decoder.take("OR")) return simt::Combination::with_or;
  if (decoder.take("XOR")) return simt::Combination::with_xor;
  decoder.unsupported("none of .AND, .OR and .XOR");
}

// Reads the operands of set_predicates(): the predicate to combine with, and the second result.
void take_combined(Decoder& decoder, simt::Instruction& instruction) {
  const simt::Combination combination = take_integer_combination(decoder);
  const bool is_alone = combination == simt::Combination::with_and && decoder.is_true(4);
  const Decoder::Predicate other = decoder.predicate(4);
  if (is_alone) return;
  instruction.c = other.slot;
  instruction.flags = static_cast<std::uint8_t>((other.is_negated ? simt::negated_predicate_flag : 0) |
                                                static_cast<int>(combination) << simt::combination_shift);
}

}  // namespace

void decode_compare(Decoder& decoder, simt::Instruction& instruction) {
  const bool always = decoder.take("T"), never = !always && decoder.take("F");
  simt::Comparison comparison;
  bool is_known = always || never;
  for (const NamedComparison& named : comparisons) {
    if (is_known || !decoder.take(named.name)) continue;
    comparison = named.comparison;
    is_known = true;
  }
  if (!is_known) decoder.unsupported("its comparison is not known");
  const bool with_sign = !decoder.take("U32"), extended = decoder.take("EX");
  act_uniformly(decoder, instruction);
  take_combined(decoder, instruction);
  const bool second = !decoder.is_true(1);
  const simt::Slot second_result = decoder.write_predicate(1);
  instruction.d = decoder.write_predicate(0);
  instruction.a = decoder.plain(2);
  instruction.b = decoder.plain(3);
  // .EX asks for the strict comparison: of GE, which is not LT, it is GT.
  const bool is_order = comparison.base == BaseComparison::less;
  if (comparison.swapped != (extended && is_order && comparison.inverted))
    std::swap(instruction.a, instruction.b);
  if (extended && (always || never)) decoder.unsupported(".EX of no comparison");
  CompareForm form = CompareForm::combined;
  if (always || never) form = CompareForm::nothing;
  if (extended) form = CompareForm::high;
  instruction.immediate = always ? 1 : 0;
  if (extended) {
    const Decoder::Predicate low = decoder.predicate(5);
    instruction.width = low.is_negated ? 1 : 0;
    instruction.count = comparison.inverted ? 1 : 0;
    decoder.more_operands(instruction, std::array{second_result, low.slot});
  } else {
    if (comparison.inverted) instruction.flags |= simt::inverted_flag;
    if (second) decoder.more_operands(instruction, std::array{second_result});
    if (form == CompareForm::combined && !second && instruction.flags <= simt::inverted_flag)
      form = comparison.inverted ? CompareForm::inverted_alone : CompareForm::alone;
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(IntegerCompareHandler)(form, comparison.base, with_sign);
}

}  // namespace tilescope::sass
#endif
