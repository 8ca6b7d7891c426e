#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/integer_family.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/integer_minmax.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"
#include "profiler/execution/simt/lanes/integer_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

// The lower number in the lanes of `minimum`, the higher one elsewhere; with `relu` not below 0.
template <class T>
HWY_INLINE T selected(T a, T b, bool minimum, bool relu) {
  const T one = (a < b) == minimum ? a : b;
  return relu && one < T{0} ? T{0} : one;
}
// Applies an operation on T to a register, or to its two halves.
template <class T, class Operation>
HWY_INLINE std::uint32_t by_parts(Operation operation, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<std::uint32_t>(operation(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c)));
  } else {
    using U = std::make_unsigned_t<T>;
    const T low = operation(static_cast<T>(a), static_cast<T>(b), static_cast<T>(c));
    const T high = operation(static_cast<T>(a >> 16), static_cast<T>(b >> 16), static_cast<T>(c >> 16));
    return static_cast<std::uint32_t>(static_cast<U>(high)) << 16 | static_cast<U>(low);
  }
}

// The predicate that chooses the minimum is the first further operand, `flags` has 1 where it is negated and 2 for
// .RELU.
template <class T, class Operation>
HWY_INLINE void choose_integer(Warp& warp, const Instruction& i, Operation operation) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b),
             *c = warp.read<std::uint32_t>(i.c);
  auto* d = warp.write<std::uint32_t>(i.d);
  const LaneMask minimum = warp.mask(warp.operands(i)[0]) ^ ((i.flags & 1) != 0 ? all_lanes : 0);
  const LaneMask exec = warp.exec;
  const bool relu = (i.flags & 2) != 0;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const bool lower = (minimum >> lane & 1u) != 0;
    const std::uint32_t value = by_parts<T>([=](T x, T y, T z) { return operation(x, y, z, lower, relu); },
                                            a[lane], b[lane], c[lane]);
    d[lane] = (exec >> lane & 1u) != 0 ? value : d[lane];
  }
}
template <class T>
void minmax2(Warp& warp, const Instruction& i) {
  choose_integer<T>(warp, i,
                    [](T a, T b, T, bool minimum, bool relu) { return selected(a, b, minimum, relu); });
}
template <class T>
void minmax3(Warp& warp, const Instruction& i) {
  choose_integer<T>(warp, i, [](T a, T b, T c, bool minimum, bool relu) {
    return selected(selected(a, b, minimum, false), c, minimum, relu);
  });
}
// Minimum or maximum of the sum, which wraps, and c; b is negated where `width` is 1.
template <class T>
void add_minmax(Warp& warp, const Instruction& i) {
  choose_integer<T>(warp, i, [negated = i.width != 0](T a, T b, T c, bool minimum, bool relu) {
    const T sum = negated ? static_cast<T>(Unsigned<T>(a) - Unsigned<T>(b))
                          : static_cast<T>(Unsigned<T>(a) + Unsigned<T>(b));
    return selected(sum, c, minimum, relu);
  });
}

// The frequent ones, whose predicate is PT or !PT.
template <class T>
Handler always(bool minimum) {
  return minimum ? binary<Minimum, T> : binary<Maximum, T>;
}

template <class T>
Handler of_kind(MinmaxKind kind) {
  switch (kind) {
    case MinmaxKind::minimum:
      return always<T>(true);
    case MinmaxKind::maximum:
      return always<T>(false);
    case MinmaxKind::two:
      return minmax2<T>;
    case MinmaxKind::three:
      return minmax3<T>;
    default:
      return add_minmax<T>;
  }
}
Handler MinmaxHandler(MinmaxKind kind, bool halves, bool with_sign) {
  if (halves) {
    // Not by a lane's register, which is of 32 bits.
    if (kind == MinmaxKind::minimum || kind == MinmaxKind::maximum) kind = MinmaxKind::two;
    return with_sign ? of_kind<std::int16_t>(kind) : of_kind<std::uint16_t>(kind);
  }
  return with_sign ? of_kind<std::int32_t>(kind) : of_kind<std::uint32_t>(kind);
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(MinmaxHandler);

struct MinmaxType {
  bool halves = false, with_sign = true, relu = false;
};
MinmaxType take_minmax_type(Decoder& decoder) {
  MinmaxType type;
  if (decoder.take("U32")) {
    type.with_sign = false;
  } else if (decoder.take("U16x2")) {
    type = {.halves = true, .with_sign = false};
  } else if (decoder.take("S16x2")) {
    type.halves = true;
  }
  type.relu = decoder.take("RELU");
  if (type.relu && !type.with_sign) decoder.unsupported(".RELU of an unsigned number");
  return type;
}

void take_choice(Decoder& decoder, simt::Instruction& instruction, std::size_t index, bool relu) {
  const Decoder::Predicate minimum = decoder.predicate(index);
  instruction.flags = static_cast<std::uint8_t>((minimum.is_negated ? 1 : 0) | (relu ? 2 : 0));
  decoder.more_operands(instruction, std::span(&minimum.slot, 1));
}

}  // namespace

void decode_minmax(Decoder& decoder, simt::Instruction& instruction) {
  const MinmaxType type = take_minmax_type(decoder);
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = instruction.c = decoder.plain(2);
  const Operand& choice = decoder.operand(3);
  const bool is_constant = choice.index == true_predicate;
  MinmaxKind kind = MinmaxKind::two;
  if (is_constant && !type.relu) kind = choice.is_not ? MinmaxKind::maximum : MinmaxKind::minimum;
  take_choice(decoder, instruction, 3, type.relu);
  instruction.execute = HWY_DYNAMIC_DISPATCH(MinmaxHandler)(kind, type.halves, type.with_sign);
}

void decode_minmax3(Decoder& decoder, simt::Instruction& instruction) {
  const MinmaxType type = take_minmax_type(decoder);
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
  instruction.c = decoder.plain(3);
  take_choice(decoder, instruction, 4, type.relu);
  instruction.execute = HWY_DYNAMIC_DISPATCH(MinmaxHandler)(MinmaxKind::three, type.halves, type.with_sign);
}

void decode_add_minmax(Decoder& decoder, simt::Instruction& instruction) {
  const MinmaxType type = take_minmax_type(decoder);
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  const Decoder::Source b = decoder.source(2);
  if (b.is_absolute || b.is_inverted || !b.selector.empty()) decoder.unsupported("the sign of a source");
  if (b.is_negated && type.halves) decoder.unsupported("the sign of two halves");
  instruction.b = b.slot;
  instruction.width = b.is_negated ? 1 : 0;
  instruction.c = decoder.plain(3);
  take_choice(decoder, instruction, 4, type.relu);
  instruction.execute =
      HWY_DYNAMIC_DISPATCH(MinmaxHandler)(MinmaxKind::sum_and_other, type.halves, type.with_sign);
}

}  // namespace tilescope::sass
#endif
