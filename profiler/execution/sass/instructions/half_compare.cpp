#include "profiler/execution/sass/instructions/half_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/half_compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/half_sources-inl.hpp"
#include "profiler/execution/simt/lanes/compare_masks-inl.hpp"

// HMNMX2, VHMNMX, HSET2 and HSETP2 on pairs of f16 or bf16.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::BaseComparison, simt::Handler, simt::Instruction, simt::lane_count, simt::LaneMask, simt::Warp;

// `type` is 1 for .NAN and 2 for .XORSIGN, and their sum for both.
inline constexpr int keep_nan_bit = 1, xor_sign_bit = 2;

template <class Format, bool maximum>
void half_extremum(Warp& warp, const Instruction& i) {
  alignas(64) float a[halves_of_warp], b[halves_of_warp];
  promote_source<Format>(warp, i, i.a, 0, a);
  promote_source<Format>(warp, i, i.b, 1, b);
  const HalfMinMax<maximum> operation{(i.type & keep_nan_bit) != 0, (i.type & xor_sign_bit) != 0};
  for (int k = 0; k < halves_of_warp; ++k) a[k] = operation(a[k], b[k]);
  if (i.operand_count != 0) {
    promote_source<Format>(warp, i, warp.operands(i)[0], 2, b);
    for (int k = 0; k < halves_of_warp; ++k) a[k] = operation(a[k], b[k]);
  }
  demote_result<Format>(warp, i, a);
}

// The minimum in the lanes of the predicate, elsewhere the maximum.
template <class Format>
void half_extremum_by_predicate(Warp& warp, const Instruction& i) {
  const LaneMask minimum = warp.mask(i.c) ^ (i.width != 0 ? simt::all_lanes : 0);
  const LaneMask exec = warp.exec;
  // The maximum must not change a source before the minimum reads it: they act on different lanes.
  warp.exec = exec & ~minimum;
  half_extremum<Format, true>(warp, i);
  warp.exec = exec & minimum;
  half_extremum<Format, false>(warp, i);
  warp.exec = exec;
}

template <class Format>
Handler extremum_of(const Extremum& form) {
  if (form.varies) return half_extremum_by_predicate<Format>;
  return form.is_maximum ? half_extremum<Format, true> : half_extremum<Format, false>;
}
Handler HalfExtremumHandler(const Extremum& form, bool is_bf16) {
  return is_bf16 ? extremum_of<BF16>(form) : extremum_of<F16>(form);
}

// Comparisons of the lower and the upper halves.
struct HalfMasks {
  LaneMask low, high;
};
// `type` is the base comparison, `width` 1 for .FTZ; the flags mean what set_predicates says.
template <class Format>
HWY_INLINE HalfMasks compare_halves(const Warp& warp, const Instruction& i) {
  Instruction sources = i;
  sources.flags = i.width != 0 ? simt::flush_flag : 0;
  alignas(64) float a[halves_of_warp], b[halves_of_warp];
  promote_source<Format>(warp, sources, i.a, 0, a);
  promote_source<Format>(warp, sources, i.b, 1, b);
  alignas(64) float part[4][lane_count];
  for (int lane = 0; lane < lane_count; ++lane) {
    part[0][lane] = a[2 * lane];
    part[1][lane] = b[2 * lane];
    part[2][lane] = a[2 * lane + 1];
    part[3][lane] = b[2 * lane + 1];
  }
  const auto base = static_cast<BaseComparison>(i.type);
  const LaneMask inverted = (i.flags & simt::inverted_flag) != 0 ? simt::all_lanes : 0;
  const LaneMask predicate = i.c == simt::no_slot ? 0 : warp.mask(i.c);
  return {combined(compare_by(base, part[0], part[1]) ^ inverted, predicate, i.flags),
          combined(compare_by(base, part[2], part[3]) ^ inverted, predicate, i.flags)};
}

// `target` holds what is true in both halves.
template <class Format>
void set_halves(Warp& warp, const Instruction& i) {
  const HalfMasks masks = compare_halves<Format>(warp, i);
  std::uint32_t* d = warp.write<std::uint32_t>(i.d);
  const std::uint32_t of_low = i.target & 0xffffu, of_high = i.target & 0xffff0000u;
  const LaneMask exec = warp.exec;
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint32_t value =
        ((masks.low >> lane & 1u) != 0 ? of_low : 0) | ((masks.high >> lane & 1u) != 0 ? of_high : 0);
    d[lane] = (exec >> lane & 1u) != 0 ? value : d[lane];
  }
}

template <class Format>
void set_half_predicates(Warp& warp, const Instruction& i) {
  const HalfMasks masks = compare_halves<Format>(warp, i);
  warp.set_mask(i.d, masks.low);
  if (i.operand_count != 0) warp.set_mask(warp.operands(i)[0], masks.high);
}

Handler HalfSetHandler(bool is_bf16) {
  return is_bf16 ? set_halves<BF16> : set_halves<F16>;
}
Handler HalfPredicateHandler(bool is_bf16) {
  return is_bf16 ? set_half_predicates<BF16> : set_half_predicates<F16>;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(HalfExtremumHandler);
HWY_EXPORT(HalfSetHandler);
HWY_EXPORT(HalfPredicateHandler);

// Both sources from operand `first` on. Returns the place of the operand behind them.
std::size_t read_pair(Decoder& decoder, simt::Instruction& instruction, std::size_t first, bool swapped) {
  simt::Slot a = simt::no_slot, b = simt::no_slot;
  std::size_t next = first;
  next += read_halves(decoder, instruction, a, next, swapped ? 1 : 0);
  next += read_halves(decoder, instruction, b, next, swapped ? 0 : 1);
  instruction.a = swapped ? b : a;
  instruction.b = swapped ? a : b;
  return next;
}

}  // namespace

void decode_half_minmax(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_bf16 = decoder.take("BF16_V2");
  simt::FloatForm form;
  form.flush = decoder.take("FTZ");
  const bool keep_nan = decoder.take("NAN"), xor_sign = decoder.take("XORSIGN");
  keep_form(instruction, form);
  instruction.type = static_cast<std::uint8_t>((keep_nan ? 1 : 0) | (xor_sign ? 2 : 0));
  instruction.d = decoder.write(0);
  std::size_t last = read_pair(decoder, instruction, 1, false);
  if (decoder.opcode() == "VHMNMX") {  // of three
    if (xor_sign) decoder.unsupported(".XORSIGN of three numbers");
    simt::Slot third = simt::no_slot;
    last += read_halves(decoder, instruction, third, last, 2);
    decoder.more_operands(instruction, std::span(&third, 1));
  }
  if (xor_sign) {
    // The result has both signs' product, so the sources are written |R1| but read with their signs.
    constexpr std::int64_t absolute = absolute_sign | absolute_sign << half_source_bits;
    constexpr std::int64_t negated = negated_sign | negated_sign << half_source_bits;
    if ((instruction.immediate & absolute) != absolute || (instruction.immediate & negated) != 0)
      decoder.unsupported(".XORSIGN of numbers with signs");
    instruction.immediate &= ~absolute;
  }
  const Extremum extremum = take_extremum(decoder, last);
  instruction.c = extremum.predicate.slot;
  instruction.width = extremum.predicate.is_negated ? 1 : 0;
  instruction.execute = HWY_DYNAMIC_DISPATCH(HalfExtremumHandler)(extremum, is_bf16);
}

void decode_half_set(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_bf16 = decoder.take("BF16_V2"), as_float = decoder.take("BF"), flush = decoder.take("FTZ");
  const simt::Combination combination = take_combination(decoder);
  const simt::Comparison comparison = take_comparison(decoder);
  instruction.d = decoder.write(0);
  const std::size_t last = read_pair(decoder, instruction, 1, comparison.swapped);
  keep_combination(decoder, instruction, comparison, combination, last);
  instruction.type = static_cast<std::uint8_t>(comparison.base);
  instruction.width = flush ? 1 : 0;
  instruction.target = !as_float ? 0xffffffffu : is_bf16 ? 0x3f803f80u : 0x3c003c00u;
  instruction.execute = HWY_DYNAMIC_DISPATCH(HalfSetHandler)(is_bf16);
}

void decode_half_compare(Decoder& decoder, simt::Instruction& instruction) {
  const bool is_bf16 = decoder.take("BF16_V2"), flush = decoder.take("FTZ");
  const simt::Combination combination = take_combination(decoder);
  const simt::Comparison comparison = take_comparison(decoder);
  write_predicates(decoder, instruction);
  const std::size_t last = read_pair(decoder, instruction, 2, comparison.swapped);
  keep_combination(decoder, instruction, comparison, combination, last);
  instruction.type = static_cast<std::uint8_t>(comparison.base);
  instruction.width = flush ? 1 : 0;
  instruction.execute = HWY_DYNAMIC_DISPATCH(HalfPredicateHandler)(is_bf16);
}

}  // namespace tilescope::sass
#endif
