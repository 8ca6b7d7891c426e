#include "profiler/execution/sass/instructions/float_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/float_minmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/float_signs-inl.hpp"
#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

// FMNMX and FSEL, which choose one of two numbers.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::Handler, simt::Instruction, simt::LaneMask, simt::Warp;

template <bool maximum, bool keep_nan, bool flush, bool xor_sign>
void extremum(Warp& warp, const Instruction& i) {
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1);
  for_lanes(
      warp.exec, warp.write<float>(i.d),
      [=](float a, float b) { return MinMax<maximum, keep_nan, flush, xor_sign>{}(of_a(a), of_b(b)); },
      warp.read<float>(i.a), warp.read<float>(i.b));
}

// The minimum in the lanes of the predicate, elsewhere the maximum.
template <bool keep_nan, bool flush, bool xor_sign>
void extremum_by_predicate(Warp& warp, const Instruction& i) {
  const LaneMask minimum = warp.mask(i.c) ^ (i.flags != 0 ? simt::all_lanes : 0);
  const LaneMask exec = warp.exec;
  warp.exec = exec & ~minimum;
  extremum<true, keep_nan, flush, xor_sign>(warp, i);
  warp.exec = exec & minimum;
  extremum<false, keep_nan, flush, xor_sign>(warp, i);
  warp.exec = exec;
}

template <bool keep_nan, bool flush, bool xor_sign>
Handler of_extremum(const Extremum& form) {
  if (form.varies) return extremum_by_predicate<keep_nan, flush, xor_sign>;
  return form.is_maximum ? extremum<true, keep_nan, flush, xor_sign>
                         : extremum<false, keep_nan, flush, xor_sign>;
}
template <bool keep_nan, bool flush>
Handler with_xor_sign(const Extremum& form, bool xor_sign) {
  return xor_sign ? of_extremum<keep_nan, flush, true>(form) : of_extremum<keep_nan, flush, false>(form);
}

Handler ExtremumHandler(const Instruction& i, const Extremum& form, bool keep_nan, bool flush,
                        bool xor_sign) {
  if (i.count == 0 && !form.varies && !keep_nan && !flush && !xor_sign) {
    return form.is_maximum ? binary<MinMax<true, false, false, false>, float>
                           : binary<MinMax<false, false, false, false>, float>;
  }
  if (keep_nan)
    return flush ? with_xor_sign<true, true>(form, xor_sign) : with_xor_sign<true, false>(form, xor_sign);
  return flush ? with_xor_sign<false, true>(form, xor_sign) : with_xor_sign<false, false>(form, xor_sign);
}

// Bits are moved as they are: a NaN stays what it is.
void select(Warp& warp, const Instruction& i) {
  const LaneMask first = warp.mask(i.c) ^ (i.flags != 0 ? simt::all_lanes : 0);
  const Sign of_a = sign_of(i, 0), of_b = sign_of(i, 1);
  const std::uint32_t *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b);
  alignas(64) std::uint32_t chosen[simt::lane_count];
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < simt::lane_count; ++lane) {
    const std::uint32_t x = of_a(a[lane]), y = of_b(b[lane]);
    chosen[lane] = (first >> lane & 1u) != 0 ? x : y;
  }
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d), [](std::uint32_t value) { return value; },
      static_cast<const std::uint32_t*>(chosen));
}

Handler FloatSelectHandler() {
  return select;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(ExtremumHandler);
HWY_EXPORT(FloatSelectHandler);

}  // namespace

void decode_float_minmax(Decoder& decoder, simt::Instruction& instruction) {
  const bool flush = decoder.take("FTZ");
  const bool keep_nan = decoder.take("NAN");
  const bool xor_sign = decoder.take("XORSIGN");
  instruction.d = decoder.write(0);
  instruction.a = read_real(decoder, instruction, 1, 0);
  instruction.b = read_real(decoder, instruction, 2, 1);
  if (xor_sign) {
    // The result has both signs' product, so the sources are written |R1| but read with their signs.
    constexpr int absolute = absolute_sign | absolute_sign << sign_bits;
    if (instruction.count != absolute) decoder.unsupported(".XORSIGN of numbers with signs");
    instruction.count = 0;
  }
  const Extremum form = take_extremum(decoder, 3);
  instruction.c = form.predicate.slot;
  instruction.flags = form.predicate.is_negated ? 1 : 0;
  instruction.execute = HWY_DYNAMIC_DISPATCH(ExtremumHandler)(instruction, form, keep_nan, flush, xor_sign);
}

void decode_float_select(Decoder& decoder, simt::Instruction& instruction) {
  instruction.d = decoder.write(0);
  instruction.a = read_real(decoder, instruction, 1, 0);
  instruction.b = read_real(decoder, instruction, 2, 1);
  const Decoder::Predicate predicate = decoder.predicate(3);
  instruction.c = predicate.slot;
  instruction.flags = predicate.is_negated ? 1 : 0;
  instruction.execute = HWY_DYNAMIC_DISPATCH(FloatSelectHandler)();
}

}  // namespace tilescope::sass
#endif
