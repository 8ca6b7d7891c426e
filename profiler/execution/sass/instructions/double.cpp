#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/float_facts.hpp"
#include "profiler/execution/sass/instructions/float_forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/double.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/double_lanes-inl.hpp"
#include "profiler/execution/sass/instructions/float_signs-inl.hpp"
#include "profiler/execution/simt/lanes/compare_masks-inl.hpp"
#include "profiler/execution/simt/lanes/float_arithmetic-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"
#include "profiler/execution/simt/lanes/rounded_double.hpp"

// DADD, DMUL, DFMA and DSETP. A double is a pair of registers, the low word first.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::BaseComparison, simt::Handler, simt::Instruction, simt::lane_count, simt::LaneMask,
    simt::Rounding, simt::Slot, simt::Warp;

HWY_INLINE void read_source(const Warp& warp, const Instruction& i, Slot slot, int index, double* values) {
  const Sign sign = sign_of(i, index);
  read_doubles(warp, slot, values);
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint64_t keep = std::uint64_t{sign.keep} << 32 | 0xffffffffu;
    const std::uint64_t bits = (bits_of(values[lane]) & keep) ^ std::uint64_t{sign.flip} << 32;
    values[lane] = std::bit_cast<double>(bits);
  }
}

struct DoubleSum {
  double operator()(double a, double b, double, Rounding rounding) const {
    return rounding == Rounding::nearest_even ? a + b : simt::rounded_sum(a, b, rounding);
  }
};
struct DoubleProduct {
  double operator()(double a, double b, double, Rounding rounding) const {
    return rounding == Rounding::nearest_even ? a * b : simt::rounded_product(a, b, rounding);
  }
};
struct DoubleFused {
  double operator()(double a, double b, double c, Rounding rounding) const {
    if (rounding == Rounding::nearest_even) return __builtin_fma(a, b, c);
    return simt::rounded_sum(static_cast<simt::Quad>(a) * b, c, rounding);
  }
};

template <class Operation, int sources, bool to_nearest>
void arithmetic(Warp& warp, const Instruction& i) {
  alignas(64) double a[lane_count], b[lane_count], c[lane_count] = {};
  read_source(warp, i, i.a, 0, a);
  read_source(warp, i, i.b, 1, b);
  if (sources == 3) read_source(warp, i, i.c, 2, c);
  const auto rounding = to_nearest ? Rounding::nearest_even : static_cast<Rounding>(i.width);
  for (int lane = 0; lane < lane_count; ++lane)
    a[lane] = canonical(Operation{}(a[lane], b[lane], c[lane], rounding));
  write_doubles(warp, i.d, a);
}

template <class Operation, int sources>
Handler rounded_as(const Instruction& i) {
  return static_cast<Rounding>(i.width) == Rounding::nearest_even ? arithmetic<Operation, sources, true>
                                                                  : arithmetic<Operation, sources, false>;
}
Handler DoubleHandler(std::string_view opcode, const Instruction& i) {
  if (opcode == "DADD") return rounded_as<DoubleSum, 2>(i);
  if (opcode == "DMUL") return rounded_as<DoubleProduct, 2>(i);
  return rounded_as<DoubleFused, 3>(i);
}

void compare(Warp& warp, const Instruction& i) {
  alignas(64) double a[lane_count], b[lane_count];
  read_source(warp, i, i.a, 0, a);
  read_source(warp, i, i.b, 1, b);
  set_predicates(warp, i, compare_by(static_cast<BaseComparison>(i.type), a, b));
}

// DSETP.MIN and .MAX: the first predicate where the first source is chosen, as the lesser or greater one or because the
// other is a NaN; -0 is less than +0. The second where both are NaN: the code that ptxas emits then sets the bit of a
// quiet NaN in the second source, which it has chosen.
template <bool maximum>
void choose(Warp& warp, const Instruction& i) {
  alignas(64) double a[lane_count], b[lane_count];
  read_source(warp, i, i.a, 0, a);
  read_source(warp, i, i.b, 1, b);
  const LaneMask first = mask_of_lanes(
      [](double x, double y) {
        const bool x_is_negative = bits_of(x) >> 63 != 0, y_is_negative = bits_of(y) >> 63 != 0;
        const bool of_equal = maximum ? !x_is_negative && y_is_negative : x_is_negative && !y_is_negative;
        return (maximum ? x > y : x < y) || (x == y && of_equal) || (x == x && y != y);
      },
      static_cast<const double*>(a), static_cast<const double*>(b));
  const LaneMask neither = mask_of_lanes([](double x, double y) { return x != x && y != y; },
                                         static_cast<const double*>(a), static_cast<const double*>(b));
  const LaneMask predicate = i.c == simt::no_slot ? 0 : warp.mask(i.c);
  if (i.operand_count != 0) warp.set_mask(warp.operands(i)[0], combined(neither, predicate, i.flags));
  warp.set_mask(i.d, combined(first, predicate, i.flags));
}

Handler CompareHandler() {
  return compare;
}
Handler ChooseHandler(bool maximum) {
  return maximum ? choose<true> : choose<false>;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(DoubleHandler);
HWY_EXPORT(CompareHandler);
HWY_EXPORT(ChooseHandler);

void decode_double(Decoder& decoder, simt::Instruction& instruction) {
  instruction.width = static_cast<std::uint8_t>(take_rounding(decoder));
  instruction.d = decoder.write(0, 2);
  instruction.a = read_real64(decoder, instruction, 1, 0);
  instruction.b = read_real64(decoder, instruction, 2, 1);
  if (decoder.opcode() == "DFMA") instruction.c = read_real64(decoder, instruction, 3, 2);
  instruction.execute = HWY_DYNAMIC_DISPATCH(DoubleHandler)(decoder.opcode(), instruction);
}

void decode_double_compare(Decoder& decoder, simt::Instruction& instruction) {
  const simt::Combination combination = take_combination(decoder);
  const bool maximum = decoder.take("MAX"), chooses = maximum || decoder.take("MIN");
  const simt::Comparison comparison = chooses ? simt::Comparison{} : take_comparison(decoder);
  write_predicates(decoder, instruction);
  const simt::Slot a = read_real64(decoder, instruction, 2, comparison.swapped ? 1 : 0);
  const simt::Slot b = read_real64(decoder, instruction, 3, comparison.swapped ? 0 : 1);
  instruction.a = comparison.swapped ? b : a;
  instruction.b = comparison.swapped ? a : b;
  keep_combination(decoder, instruction, comparison, combination, 4);
  instruction.type = static_cast<std::uint8_t>(comparison.base);
  instruction.execute =
      chooses ? HWY_DYNAMIC_DISPATCH(ChooseHandler)(maximum) : HWY_DYNAMIC_DISPATCH(CompareHandler)();
}

constexpr Opcode opcodes[] = {
    Opcode{"DADD", decode_double, simt::Pipe::fp64, HardwarePipe::fp64}.computes(double_floats),
    Opcode{"DMUL", decode_double, simt::Pipe::fp64, HardwarePipe::fp64}.computes(double_floats),
    Opcode{"DFMA", decode_double, simt::Pipe::fp64, HardwarePipe::fp64}.computes(double_floats),
    Opcode{"DSETP", decode_double_compare, simt::Pipe::fp64, HardwarePipe::fp64}.uses(
        simt::DataUse::no_number),
};

}  // namespace

std::span<const Opcode> double_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
