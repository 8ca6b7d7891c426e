#include <array>
#include <bit>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/integer_family.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/integer_multiply.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"
#include "profiler/execution/simt/lanes/dot_products-inl.hpp"
#include "profiler/execution/simt/lanes/integer_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

struct CopyWord {
  std::uint32_t operator()(std::uint32_t a) const { return a; }
};
struct MultiplySubtractLow {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const { return a * b - c; }
};

// d = (a << immediate) + c
void shift_add(Warp& warp, const Instruction& i) {
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d),
      [shift = static_cast<std::uint32_t>(i.immediate)](std::uint32_t a, std::uint32_t c) {
        return (a << shift) + c;
      },
      warp.read<std::uint32_t>(i.a), warp.read<std::uint32_t>(i.c));
}

// d = a * b + c + a carry, which is the first further operand. `flags` is 1 where c is inverted, and has 2 where the
// carry is negated.
void multiply_add_carry(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b),
             *c = warp.read<std::uint32_t>(i.c);
  auto* d = warp.write<std::uint32_t>(i.d);
  const LaneMask carry = warp.mask(warp.operands(i)[0]) ^ ((i.flags & 2) != 0 ? all_lanes : 0);
  const std::uint32_t flip = (i.flags & 1) != 0 ? ~0u : 0;
  const LaneMask exec = warp.exec;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint32_t sum = a[lane] * b[lane] + (c[lane] ^ flip) + (carry >> lane & 1u);
    d[lane] = (exec >> lane & 1u) != 0 ? sum : d[lane];
  }
}

// The pair d = a * b + the pair c; with `high_alone` d is its high word.
template <class T, bool high_alone>
void multiply_add_pair(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<T>(i.a), *b = warp.read<T>(i.b);
  const auto *low = warp.read<std::uint32_t>(i.c),
             *high = warp.read<std::uint32_t>(i.c + RegisterSlots::step);
  auto* d = warp.write<std::uint32_t>(i.d);
  auto* d_high = high_alone ? d : warp.write<std::uint32_t>(i.d + RegisterSlots::step);
  const LaneMask exec = warp.exec;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const auto factors = static_cast<std::uint64_t>(product(a[lane], b[lane]));
    const std::uint64_t sum = factors + (std::uint64_t{high[lane]} << 32 | low[lane]);
    const bool active = (exec >> lane & 1u) != 0;
    const auto sum_high = static_cast<std::uint32_t>(sum >> 32);
    if constexpr (!high_alone) d[lane] = active ? static_cast<std::uint32_t>(sum) : d[lane];
    d_high[lane] = active ? sum_high : d_high[lane];
  }
}
// The pair d = a * b of 32 bits each.
template <class T>
void multiply_pair(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<T>(i.a), *b = warp.read<T>(i.b);
  auto *d = warp.write<std::uint32_t>(i.d), *d_high = warp.write<std::uint32_t>(i.d + RegisterSlots::step);
  const LaneMask exec = warp.exec;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const auto factors = static_cast<std::uint64_t>(product(a[lane], b[lane]));
    const bool active = (exec >> lane & 1u) != 0;
    d[lane] = active ? static_cast<std::uint32_t>(factors) : d[lane];
    d_high[lane] = active ? static_cast<std::uint32_t>(factors >> 32) : d_high[lane];
  }
}

// Multiply-add with a carry in (`flags` 2: negated) and out, the further operands: bit 64 of the sum. The
// bits of c are inverted where `flags` has 1, and `count` is added, 1 where c is negated. A product with a
// sign is a number of 64 bits like others.
template <class T, bool high_alone>
void multiply_add_pair_carry(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<T>(i.a), *b = warp.read<T>(i.b);
  const auto *low = warp.read<std::uint32_t>(i.c),
             *high = warp.read<std::uint32_t>(i.c + RegisterSlots::step);
  auto* d = warp.write<std::uint32_t>(i.d);
  auto* d_high = high_alone ? d : warp.write<std::uint32_t>(i.d + RegisterSlots::step);
  const Slot* carries = warp.operands(i);
  const LaneMask in = warp.mask(carries[0]) ^ ((i.flags & 2) != 0 ? all_lanes : 0), exec = warp.exec;
  const std::uint64_t flip = (i.flags & 1) != 0 ? ~std::uint64_t{0} : 0;
  LaneMask out = 0;
  for (int lane = 0; lane < lane_count; ++lane) {
    const auto factors = static_cast<std::uint64_t>(product(a[lane], b[lane]));
    const std::uint64_t sum = factors + ((std::uint64_t{high[lane]} << 32 | low[lane]) ^ flip);
    const std::uint64_t total = sum + (in >> lane & 1u) + i.count;
    out |= static_cast<LaneMask>(sum < factors || total < sum ? 1u : 0u) << lane;
    const bool active = (exec >> lane & 1u) != 0;
    if constexpr (!high_alone) d[lane] = active ? static_cast<std::uint32_t>(total) : d[lane];
    d_high[lane] = active ? static_cast<std::uint32_t>(total >> 32) : d_high[lane];
  }
  warp.set_mask(carries[1], out);
}

Handler MultiplyHandler(MultiplyForm form, bool with_sign) {
  switch (form) {
    case MultiplyForm::copy:
      return unary<CopyWord, std::uint32_t>;
    case MultiplyForm::add:
      return binary<Add, std::uint32_t>;
    case MultiplyForm::subtract:
      return binary<Subtract, std::uint32_t>;
    case MultiplyForm::shift_add:
      return shift_add;
    case MultiplyForm::product:
      return binary<MultiplyLow, std::uint32_t>;
    case MultiplyForm::product_add:
      return ternary<MultiplyAddLow, std::uint32_t>;
    case MultiplyForm::product_subtract:
      return ternary<MultiplySubtractLow, std::uint32_t>;
    case MultiplyForm::product_carry:
      return multiply_add_carry;
    case MultiplyForm::wide:
      return with_sign ? multiply_pair<std::int32_t> : multiply_pair<std::uint32_t>;
    case MultiplyForm::wide_add:
      return with_sign ? multiply_add_pair<std::int32_t, false> : multiply_add_pair<std::uint32_t, false>;
    case MultiplyForm::high:
      return with_sign ? multiply_add_pair<std::int32_t, true> : multiply_add_pair<std::uint32_t, true>;
    case MultiplyForm::wide_carry:
      return with_sign ? multiply_add_pair_carry<std::int32_t, false>
                       : multiply_add_pair_carry<std::uint32_t, false>;
    default:
      return with_sign ? multiply_add_pair_carry<std::int32_t, true>
                       : multiply_add_pair_carry<std::uint32_t, true>;
  }
}

Handler DotProductHandler(bool a_signed, bool b_signed, bool of_halves, bool upper) {
  return dot_product_handler(a_signed, b_signed, of_halves, upper);
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(MultiplyHandler);
HWY_EXPORT(DotProductHandler);

bool has_part(const Decoder::Source& source) {
  return source.is_absolute || !source.selector.empty();
}

// d = a * b + c of 32 bits: what it is as the simplest operation.
MultiplyForm low_form(const simt::Instruction& instruction, simt::Slot zero, std::uint32_t factor,
                      bool is_negated) {
  const bool no_product = instruction.a == zero || instruction.b == zero;
  if (no_product) return is_negated ? MultiplyForm::subtract : MultiplyForm::copy;
  if (factor == 1) return is_negated ? MultiplyForm::subtract : MultiplyForm::add;
  if (is_negated) return MultiplyForm::product_subtract;
  if (std::has_single_bit(factor)) return MultiplyForm::shift_add;
  return instruction.c == zero ? MultiplyForm::product : MultiplyForm::product_add;
}

void decode_low(Decoder& decoder, simt::Instruction& instruction, std::size_t at) {
  const Decoder::Source c = decoder.source(at + 2);
  if (c.is_inverted || has_part(c)) decoder.unsupported("the sign of the third source");
  const std::uint32_t factor = decoder.is(at + 1, Operand::Kind::integer)
                                   ? static_cast<std::uint32_t>(decoder.operand(at + 1).value)
                                   : 0;
  instruction.c = c.slot;
  const MultiplyForm form = low_form(instruction, decoder.zero(), factor, c.is_negated);
  instruction.execute = HWY_DYNAMIC_DISPATCH(MultiplyHandler)(form, false);
  switch (form) {
    case MultiplyForm::copy:
      instruction.a = c.slot;
      break;
    case MultiplyForm::subtract:
      if (factor != 1) instruction.a = decoder.zero();
      instruction.b = c.slot;
      break;
    case MultiplyForm::add:
      instruction.b = c.slot;
      break;
    case MultiplyForm::shift_add:
      instruction.immediate = std::countr_zero(factor);
      break;
    default:
      break;
  }
}

void decode_low_carry(Decoder& decoder, simt::Instruction& instruction, std::size_t at) {
  const Decoder::Source c = decoder.source(at + 2);
  if (c.is_negated || has_part(c)) decoder.unsupported("the sign of the third source");
  const Decoder::Predicate carry = decoder.predicate(at + 3);
  instruction.c = c.slot;
  instruction.flags = static_cast<std::uint8_t>((c.is_inverted ? 1 : 0) | (carry.is_negated ? 2 : 0));
  instruction.execute = HWY_DYNAMIC_DISPATCH(MultiplyHandler)(MultiplyForm::product_carry, false);
  decoder.more_operands(instruction, std::array{carry.slot});
}

// With a carry in (.X) or out, or a sign of c.
void decode_pair_carry(Decoder& decoder, simt::Instruction& instruction, std::size_t at, bool extended,
                       const Decoder::Source& c) {
  if (has_part(c) || (extended ? c.is_negated : c.is_inverted)) {
    decoder.unsupported("the sign of the third source");
  }
  Decoder::Predicate in{decoder.zero(), false};
  if (extended) in = decoder.predicate(at + 3);
  const simt::Slot out = at == 2 ? decoder.write_predicate(1) : decoder.slots().predicate(true_predicate);
  instruction.flags =
      static_cast<std::uint8_t>((c.is_negated || c.is_inverted ? 1 : 0) | (in.is_negated ? 2 : 0));
  instruction.count = c.is_negated ? 1 : 0;
  decoder.more_operands(instruction, std::array{in.slot, out});
}

}  // namespace

void decode_multiply_add(Decoder& decoder, simt::Instruction& instruction) {
  // .MOV, .IADD and .SHL say what the compiler wants from a * b + c: the same operation.
  if (!decoder.take("MOV") && !decoder.take("IADD")) decoder.take("SHL");
  const bool wide = decoder.take("WIDE"), high = !wide && decoder.take("HI");
  const bool is_unsigned = decoder.take("U32"), extended = decoder.take("X");
  const bool carry_out = is_predicate_operand(decoder, 1);
  const std::size_t at = carry_out ? 2 : 1;
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(0, wide ? 2 : 1);
  instruction.a = decoder.plain(at);
  instruction.b = decoder.plain(at + 1);
  if (!wide && !high && carry_out) decoder.unsupported("a carry out");
  if (!wide && !high) {
    return extended ? decode_low_carry(decoder, instruction, at) : decode_low(decoder, instruction, at);
  }
  const Decoder::Source c = decoder.source64(at + 2);
  instruction.c = c.slot;
  MultiplyForm form = high ? MultiplyForm::high : MultiplyForm::wide_add;
  if (carry_out || extended || c.is_negated || c.is_inverted || has_part(c)) {
    decode_pair_carry(decoder, instruction, at, extended, c);
    form = high ? MultiplyForm::high_carry : MultiplyForm::wide_carry;
  } else if (wide && c.slot == decoder.zero()) {
    form = MultiplyForm::wide;
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(MultiplyHandler)(form, !is_unsigned);
}

void decode_dot_product(Decoder& decoder, simt::Instruction& instruction) {
  const bool of_halves = decoder.take("2A");
  if (!of_halves && !decoder.take("4A")) decoder.unsupported("neither .2A nor .4A");
  const bool upper = of_halves && decoder.take("HI");
  if (of_halves && !upper && !decoder.take("LO")) decoder.unsupported("neither .LO nor .HI");
  const std::string_view a = decoder.take_next(), b = decoder.take_next();
  const std::string_view of_a = of_halves ? "16" : "8";
  if (a.empty() || a.substr(1) != of_a || (b != "S8" && b != "U8") || (a[0] != 'S' && a[0] != 'U')) {
    decoder.unsupported("these types");
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(DotProductHandler)(a[0] == 'S', b[0] == 'S', of_halves, upper);
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
  instruction.c = decoder.plain(3);
}

}  // namespace tilescope::sass
#endif
