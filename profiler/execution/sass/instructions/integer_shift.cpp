#include <algorithm>
#include <array>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/integer_family.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/integer_shift.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

// The high word of the pair high:low after a shift to the left by 0 to 31.
HWY_INLINE std::uint32_t high_word(std::uint32_t low, std::uint32_t high, std::uint32_t shift) {
  return high << shift | low >> 1 >> (31 - shift);
}

// LEA: d = (a << immediate) + b
void scaled_add(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [shift = static_cast<std::uint32_t>(i.immediate)](std::uint32_t a, std::uint32_t b) {
        return (a << shift) + b;
      },
      warp.read<std::uint32_t>(i.a), warp.read<std::uint32_t>(i.b));
}
// The carry out is the first further operand.
void scaled_add_carry(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b);
  const auto shift = static_cast<std::uint32_t>(i.immediate);
  LaneMask carry = 0;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    carry |= static_cast<LaneMask>((a[lane] << shift) + b[lane] < b[lane] ? 1u : 0u) << lane;
  }
  scaled_add(warp, i);
  warp.set_mask(warp.operands(i)[0], carry);
}

// LEA.HI: d = the high word of (c:a << immediate) + b
void scaled_add_high(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [shift = static_cast<std::uint32_t>(i.immediate)](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return high_word(a, c, shift) + b;
      },
      warp.read<std::uint32_t>(i.a), warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
}

// All of it: `flags` has 1 for the high word, 2 where c is the sign of a (.SX32), 4 where the shifted word is inverted, 8
// where b is, 16 where the carry in is negated. `count` is 1 for each negated source, whose bits are inverted. The
// further operands are the carries in and out.
void scaled_add_any(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b),
             *c = warp.read<std::uint32_t>(i.c);
  auto* d = warp.write<std::uint32_t>(i.d);
  const Slot* carries = warp.operands(i);
  const LaneMask in = warp.mask(carries[0]) ^ ((i.flags & 16) != 0 ? all_lanes : 0), exec = warp.exec;
  const auto shift = static_cast<std::uint32_t>(i.immediate);
  const bool high = (i.flags & 1) != 0, sign = (i.flags & 2) != 0;
  const std::uint32_t flip_a = (i.flags & 4) != 0 ? ~0u : 0, flip_b = (i.flags & 8) != 0 ? ~0u : 0;
  const std::uint64_t ones = i.count;
  LaneMask out = 0;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint32_t upper = sign ? 0u - (a[lane] >> 31) : c[lane];
    const std::uint32_t shifted = (high ? high_word(a[lane], upper, shift) : a[lane] << shift) ^ flip_a;
    const std::uint64_t sum = ones + shifted + (b[lane] ^ flip_b) + (in >> lane & 1u);
    out |= static_cast<LaneMask>(sum >> 32 != 0 ? 1u : 0u) << lane;
    d[lane] = (exec >> lane & 1u) != 0 ? static_cast<std::uint32_t>(sum) : d[lane];
  }
  warp.set_mask(carries[1], out);
}
Handler ScaledAddHandler(ScaledAddForm form) {
  switch (form) {
    case ScaledAddForm::low:
      return scaled_add;
    case ScaledAddForm::low_carry:
      return scaled_add_carry;
    case ScaledAddForm::high:
      return scaled_add_high;
    default:
      return scaled_add_any;
  }
}

// SHF of one word by a constant of 0 to 31.
template <class T, bool left>
void shift_by_constant(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<T>(i.d),
      [shift = static_cast<std::uint32_t>(i.immediate)](T a) {
        return static_cast<T>(left ? a << shift : a >> shift);
      },
      warp.read<T>(i.a));
}
Handler ConstantShiftHandler(ShiftForm form) {
  switch (form) {
    case ShiftForm::left:
      return shift_by_constant<std::uint32_t, true>;
    case ShiftForm::right:
      return shift_by_constant<std::uint32_t, false>;
    default:
      return shift_by_constant<std::int32_t, false>;
  }
}

// One word of the pair c:a, moved by b: by b modulo a power of two (`immediate` is the mask) and at most `width` bits.
// In two steps, because a shift by 64 is not defined.
template <class T, bool left, bool high>
void funnel_shift(Warp& warp, const Instruction& i) {
  const auto mask = static_cast<std::uint32_t>(i.immediate), most = std::uint32_t{i.width};
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [=](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const std::uint32_t shift = (b & mask) < most ? b & mask : most;
        const std::uint32_t half = shift / 2, rest = shift - half;
        const auto pair = static_cast<T>(std::uint64_t{c} << 32 | a);
        const auto moved =
            static_cast<std::uint64_t>(left ? static_cast<T>(pair << half << rest) : pair >> half >> rest);
        return static_cast<std::uint32_t>(high ? moved >> 32 : moved);
      },
      warp.read<std::uint32_t>(i.a), warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
}
Handler FunnelShiftHandler(bool left, bool high, bool with_sign) {
  using U = std::uint64_t;
  using S = std::int64_t;
  if (left) return high ? funnel_shift<U, true, true> : funnel_shift<U, true, false>;
  if (with_sign) return high ? funnel_shift<S, false, true> : funnel_shift<S, false, false>;
  return high ? funnel_shift<U, false, true> : funnel_shift<U, false, false>;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(ScaledAddHandler);
HWY_EXPORT(ConstantShiftHandler);
HWY_EXPORT(FunnelShiftHandler);

enum : std::uint8_t {
  high_flag = 1,
  sign_flag = 2,
  flip_a_flag = 4,
  flip_b_flag = 8,
  negated_carry_flag = 16
};

// A source that may be negated or, with .X, inverted.
Decoder::Source take_term(Decoder& decoder, std::size_t index, bool extended) {
  const Decoder::Source term = decoder.source(index);
  const bool has_other_sign = extended ? term.is_negated : term.is_inverted;
  if (has_other_sign || term.is_absolute || !term.selector.empty())
    decoder.unsupported("the sign of a source");
  return term;
}

}  // namespace

void decode_scaled_add(Decoder& decoder, simt::Instruction& instruction) {
  const bool high = decoder.take("HI"), extended = decoder.take("X"), sign = decoder.take("SX32");
  if (!high && sign) decoder.unsupported(".SX32 without .HI");
  const bool carry_out = is_predicate_operand(decoder, 1);
  std::size_t next = carry_out ? 2 : 1;
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(0);
  const Decoder::Source a = take_term(decoder, next++, extended), b = take_term(decoder, next++, extended);
  instruction.a = a.slot;
  instruction.b = b.slot;
  instruction.c = high && !sign ? decoder.plain(next++) : decoder.zero();
  instruction.immediate = decoder.integer(next++);
  if (instruction.immediate < 0 || instruction.immediate > 31) decoder.unsupported("a shift by more than 31");
  Decoder::Predicate in{decoder.zero(), false};
  if (extended) in = decoder.predicate(next);
  const simt::Slot out = carry_out ? decoder.write_predicate(1) : decoder.slots().predicate(true_predicate);
  ScaledAddForm form = ScaledAddForm::any;
  if (!extended && !sign && !a.is_negated && !b.is_negated) {
    if (!high) form = carry_out ? ScaledAddForm::low_carry : ScaledAddForm::low;
    if (high && !carry_out) form = ScaledAddForm::high;
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(ScaledAddHandler)(form);
  if (form == ScaledAddForm::low_carry) decoder.more_operands(instruction, std::array{out});
  if (form != ScaledAddForm::any) return;
  instruction.flags = static_cast<std::uint8_t>(
      (high ? high_flag : 0) | (sign ? sign_flag : 0) | (a.is_negated || a.is_inverted ? flip_a_flag : 0) |
      (b.is_negated || b.is_inverted ? flip_b_flag : 0) | (in.is_negated ? negated_carry_flag : 0));
  instruction.count = static_cast<std::uint8_t>((a.is_negated ? 1 : 0) + (b.is_negated ? 1 : 0));
  decoder.more_operands(instruction, std::array{in.slot, out});
}

void decode_funnel_shift(Decoder& decoder, simt::Instruction& instruction) {
  const bool left = decoder.take("L");
  if (!left && !decoder.take("R")) decoder.unsupported("neither .L nor .R");
  const bool wrap = decoder.take("W");
  const bool of_64 = decoder.take("U64"), signed_64 = !of_64 && decoder.take("S64");
  const bool is_long = of_64 || signed_64;
  const bool signed_32 = !is_long && decoder.take("S32");
  if (!is_long && !signed_32 && !decoder.take("U32")) decoder.unsupported("its type is not known");
  const bool high = decoder.take("HI"), with_sign = signed_32 || signed_64;
  act_uniformly(decoder, instruction);
  const bool by_constant = decoder.is(2, Operand::Kind::integer);
  const std::int64_t shift = by_constant ? decoder.operand(2).value : -1;
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
  instruction.c = decoder.plain(3);
  // The low word of a shift to the left is of a alone, the high word of one to the right of c alone.
  if (left != high && shift >= 0 && shift < 32) {
    if (!left) instruction.a = instruction.c;
    const ShiftForm form = left ? ShiftForm::left : with_sign ? ShiftForm::right_signed : ShiftForm::right;
    instruction.immediate = shift;
    instruction.execute = HWY_DYNAMIC_DISPATCH(ConstantShiftHandler)(form);
    return;
  }
  instruction.immediate = wrap ? (is_long ? 63 : 31) : 0xffff'ffff;
  instruction.width = is_long ? 64 : 32;
  instruction.execute = HWY_DYNAMIC_DISPATCH(FunnelShiftHandler)(left, high, with_sign);
}

}  // namespace tilescope::sass
#endif
