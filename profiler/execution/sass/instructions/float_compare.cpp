#include "profiler/execution/sass/instructions/float_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/float_compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/float_signs-inl.hpp"
#include "profiler/execution/simt/lanes/compare_masks-inl.hpp"
#include "profiler/execution/simt/lanes/float_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

// FSETP, FSET and FCHK. Instruction::flags and `c` mean what set_predicates says, `count` holds the signs,
// `width` is 1 for .FTZ.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::BaseComparison, simt::Handler, simt::Instruction, simt::lane_count, simt::LaneMask, simt::Warp;

// Compares two sources without changing their signs.
template <class Base>
void set_predicate(Warp& warp, const Instruction& i) {
  set_predicates(warp, i, compare_lanes<Base>(warp.read<float>(i.a), warp.read<float>(i.b)));
}

// With signs or flushed.
struct Sources {
  alignas(64) float a[lane_count], b[lane_count];
};
HWY_INLINE void read_sources(const Warp& warp, const Instruction& i, Sources& sources) {
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1);
  const bool flush = i.width != 0;
  for_lanes(
      simt::all_lanes, sources.a, [=](float a) { return input(of_a(a), flush); }, warp.read<float>(i.a));
  for_lanes(
      simt::all_lanes, sources.b, [=](float b) { return input(of_b(b), flush); }, warp.read<float>(i.b));
}
template <class Base>
void set_predicate_of_changed(Warp& warp, const Instruction& i) {
  Sources sources;
  read_sources(warp, i, sources);
  set_predicates(warp, i, compare_lanes<Base>(sources.a, sources.b));
}

template <class Base>
Handler predicate_by(bool is_plain) {
  return is_plain ? set_predicate<Base> : set_predicate_of_changed<Base>;
}
Handler PredicateHandler(BaseComparison base, bool is_plain) {
  switch (base) {
    case BaseComparison::equal:
      return predicate_by<Equal>(is_plain);
    case BaseComparison::less:
      return predicate_by<Less>(is_plain);
    case BaseComparison::less_or_equal:
      return predicate_by<LessOrEqual>(is_plain);
    case BaseComparison::less_or_greater:
      return predicate_by<LessOrGreater>(is_plain);
    default:
      return predicate_by<Numbers>(is_plain);
  }
}

// `immediate` holds the bits of true, `type` the base comparison.
void set_register(Warp& warp, const Instruction& i) {
  Sources sources;
  read_sources(warp, i, sources);
  LaneMask truth = compare_by(static_cast<BaseComparison>(i.type), sources.a, sources.b);
  if ((i.flags & simt::inverted_flag) != 0) truth = ~truth;
  truth = combined(truth, i.c == simt::no_slot ? 0 : warp.mask(i.c), i.flags);
  const auto of_true = static_cast<std::uint32_t>(i.immediate);
  std::uint32_t* d = warp.write<std::uint32_t>(i.d);
  const LaneMask exec = warp.exec;
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint32_t value = (truth >> lane & 1u) != 0 ? of_true : 0;
    d[lane] = (exec >> lane & 1u) != 0 ? value : d[lane];
  }
}

Handler SetHandler() {
  return set_register;
}

// FCHK: whether the quotient of two floats needs the slow path of the code that ptxas emits for div.rn.f32.
// The bounds were found on an H200, with 262,144 pairs in a cubin that was changed to store the predicate:
// mantissas and signs do not matter. They guarantee that a Newton step after MUFU.RCP and two corrections
// with an exact remainder give the nearest quotient: 1 / b must not be flushed, the remainder must not reach
// below denormals (2^-149), and no step may overflow.
struct NeedsSlowDivision {
  bool operator()(std::uint32_t a, std::uint32_t b) const {
    const int of_a = static_cast<int>(a >> 23 & 0xffu), of_b = static_cast<int>(b >> 23 & 0xffu);
    const int quotient = of_a - of_b;
    return of_a < 25 || of_a == 255 || of_b < 2 || of_b > 251 || quotient < -124 || quotient > 126;
  }
};
void check_division(Warp& warp, const Instruction& i) {
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1);
  const std::uint32_t *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b);
  warp.set_mask(i.d, mask_of_lanes([=](std::uint32_t x,
                                       std::uint32_t y) { return NeedsSlowDivision{}(of_a(x), of_b(y)); },
                                   a, b));
}
Handler DivisionCheckHandler() {
  return check_division;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(PredicateHandler);
HWY_EXPORT(SetHandler);
HWY_EXPORT(DivisionCheckHandler);

void read_compared(Decoder& decoder, simt::Instruction& instruction, simt::Comparison comparison,
                   std::size_t first) {
  const simt::Slot a = read_real(decoder, instruction, first, comparison.swapped ? 1 : 0);
  const simt::Slot b = read_real(decoder, instruction, first + 1, comparison.swapped ? 0 : 1);
  instruction.a = comparison.swapped ? b : a;
  instruction.b = comparison.swapped ? a : b;
}

}  // namespace

void decode_float_compare(Decoder& decoder, simt::Instruction& instruction) {
  const bool flush = decoder.take("FTZ");
  const simt::Combination combination = take_combination(decoder);
  const simt::Comparison comparison = take_comparison(decoder);
  write_predicates(decoder, instruction);
  read_compared(decoder, instruction, comparison, 2);
  keep_combination(decoder, instruction, comparison, combination, 4);
  instruction.width = flush ? 1 : 0;
  instruction.execute =
      HWY_DYNAMIC_DISPATCH(PredicateHandler)(comparison.base, !flush && instruction.count == 0);
}

void decode_float_set(Decoder& decoder, simt::Instruction& instruction) {
  const bool as_float = decoder.take("BF");
  const bool flush = decoder.take("FTZ");
  const simt::Combination combination = take_combination(decoder);
  const simt::Comparison comparison = take_comparison(decoder);
  instruction.d = decoder.write(0);
  read_compared(decoder, instruction, comparison, 1);
  keep_combination(decoder, instruction, comparison, combination, 3);
  instruction.width = flush ? 1 : 0;
  instruction.type = static_cast<std::uint8_t>(comparison.base);
  instruction.immediate = as_float ? 0x3f800000 : 0xffffffff;
  instruction.execute = HWY_DYNAMIC_DISPATCH(SetHandler)();
}

void decode_division_check(Decoder& decoder, simt::Instruction& instruction) {
  instruction.d = decoder.write_predicate(0);
  instruction.a = read_real(decoder, instruction, 1, 0);
  instruction.b = read_real(decoder, instruction, 2, 1);
  instruction.execute = HWY_DYNAMIC_DISPATCH(DivisionCheckHandler)();
}

}  // namespace tilescope::sass
#endif
