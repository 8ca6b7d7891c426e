#include <algorithm>
#include <array>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/logic_family.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/bit_fields.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"
#include "profiler/execution/simt/lanes/bit_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

// The selector is the immediate.
void permute_by_constant(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [selector = static_cast<std::uint32_t>(i.immediate)](std::uint32_t a, std::uint32_t c) {
        return permuted(a, c, selector);
      },
      warp.read<std::uint32_t>(i.a), warp.read<std::uint32_t>(i.c));
}
// `flags` is the PermuteMode.
void permute_in_mode(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [mode = int{i.flags}](std::uint32_t a, std::uint32_t selector, std::uint32_t c) {
        return permuted(a, c, selector_of(mode, selector));
      },
      warp.read<std::uint32_t>(i.a), warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
}
struct PermuteWords {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t selector, std::uint32_t c) const {
    return permuted(a, c, selector);
  }
};
Handler PermutationHandler(bool by_mode, bool by_constant) {
  if (by_mode) return permute_in_mode;
  return by_constant ? permute_by_constant : ternary<PermuteWords, std::uint32_t>;
}

Handler SignExtendHandler(bool wrap, bool with_sign) {
  if (with_sign) {
    return wrap ? binary<Extend<true>, std::int32_t, std::int32_t, std::uint32_t>
                : binary<Extend<false>, std::int32_t, std::int32_t, std::uint32_t>;
  }
  return wrap ? binary<Extend<true>, std::uint32_t> : binary<Extend<false>, std::uint32_t>;
}
Handler BitMaskHandler(bool wrap) {
  return wrap ? binary<BitMask<true>, std::uint32_t> : binary<BitMask<false>, std::uint32_t>;
}

template <class Operation>
struct OfInverted {
  template <class T>
  auto operator()(T a) const {
    return Operation{}(static_cast<T>(~a));
  }
};
template <class Operation, class T = std::uint32_t>
Handler of_bits(bool inverted) {
  return inverted ? unary<OfInverted<Operation>, std::uint32_t, T> : unary<Operation, std::uint32_t, T>;
}
Handler BitsHandler(BitForm form, bool inverted) {
  switch (form) {
    case BitForm::count:
      return of_bits<CountOnes>(inverted);
    case BitForm::reverse:
      return of_bits<Reverse>(inverted);
    case BitForm::top:
      return of_bits<FindTop<false>>(inverted);
    case BitForm::top_shift:
      return of_bits<FindTop<true>>(inverted);
    case BitForm::signed_top:
      return of_bits<FindTop<false>, std::int32_t>(inverted);
    default:
      return of_bits<FindTop<true>, std::int32_t>(inverted);
  }
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(PermutationHandler);
HWY_EXPORT(SignExtendHandler);
HWY_EXPORT(BitMaskHandler);
HWY_EXPORT(BitsHandler);

// In the order of PermuteMode.
constexpr std::string_view permute_modes[] = {"F4E", "B4E", "RC8", "ECL", "ECR", "RC16"};

}  // namespace

void decode_permute(Decoder& decoder, simt::Instruction& instruction) {
  const std::string_view mode = decoder.take_next();
  const auto known = std::ranges::find(permute_modes, mode);
  if (!mode.empty() && known == std::end(permute_modes)) decoder.unsupported("its mode is not known");
  const bool by_constant = decoder.is(2, Operand::Kind::integer);
  act_uniformly(decoder, instruction);
  instruction.execute = HWY_DYNAMIC_DISPATCH(PermutationHandler)(!mode.empty(), by_constant);
  instruction.flags = static_cast<std::uint8_t>(known - std::begin(permute_modes));
  if (by_constant) instruction.immediate = decoder.operand(2).value;
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
  instruction.c = decoder.plain(3);
}

void decode_sign_extend(Decoder& decoder, simt::Instruction& instruction) {
  const bool wrap = decoder.take("W"), with_sign = !decoder.take("U32");
  act_uniformly(decoder, instruction);
  instruction.execute = HWY_DYNAMIC_DISPATCH(SignExtendHandler)(wrap, with_sign);
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
}

void decode_bit_mask(Decoder& decoder, simt::Instruction& instruction) {
  act_uniformly(decoder, instruction);
  instruction.execute = HWY_DYNAMIC_DISPATCH(BitMaskHandler)(decoder.take("W"));
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
}

void decode_bits(Decoder& decoder, simt::Instruction& instruction) {
  BitForm form = decoder.opcode().ends_with("POPC") ? BitForm::count : BitForm::reverse;
  if (decoder.opcode().ends_with("FLO")) {
    const bool is_unsigned = decoder.take("U32"), shift = decoder.take("SH");
    form = is_unsigned ? (shift ? BitForm::top_shift : BitForm::top)
                       : (shift ? BitForm::signed_top_shift : BitForm::signed_top);
  }
  act_uniformly(decoder, instruction);
  const Decoder::Source a = decoder.source(1);
  if (a.is_negated || a.is_absolute || !a.selector.empty()) decoder.unsupported("the sign of its source");
  instruction.execute = HWY_DYNAMIC_DISPATCH(BitsHandler)(form, a.is_inverted);
  instruction.d = decoder.write(0);
  instruction.a = a.slot;
}

}  // namespace tilescope::sass
#endif
