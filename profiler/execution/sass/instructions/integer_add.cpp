#include <algorithm>
#include <array>
#include <string>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/integer_family.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/integer_add.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/lanes-inl.hpp"
#include "profiler/execution/simt/lanes/integer_operations-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {

struct Add3 {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const { return a + b + c; }
};
struct SubtractFromFirst {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const { return a - b + c; }
};

// d = a + b; the carry out is the first further operand.
void add2_carry_out(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b);
  LaneMask carry = 0;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    carry |= static_cast<LaneMask>(a[lane] + b[lane] < a[lane] ? 1u : 0u) << lane;
  }
  for_lanes(warp.exec, warp.write<std::uint32_t>(i.d), Add{}, a, b);
  warp.set_mask(warp.operands(i)[0], carry);
}

// d = a + b + a carry, which is `c`.
void add2_carry_in(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b);
  auto* d = warp.write<std::uint32_t>(i.d);
  const LaneMask carry = warp.mask(i.c), exec = warp.exec;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint32_t sum = a[lane] + b[lane] + (carry >> lane & 1u);
    d[lane] = (exec >> lane & 1u) != 0 ? sum : d[lane];
  }
}

// Everything that IADD3 does: `flags` has a bit for each inverted source, `count` is added (1 for each negated one,
// whose bits are inverted), `width` has a bit for each carry in whose predicate is negated. The further operands are the
// carries in and out. The sum has two bits above its 32: the carries out are whether it is at least 2^32 and 2^33, and
// those in count 1 each.
void add3_any(Warp& warp, const Instruction& i) {
  const auto *a = warp.read<std::uint32_t>(i.a), *b = warp.read<std::uint32_t>(i.b),
             *c = warp.read<std::uint32_t>(i.c);
  auto* d = warp.write<std::uint32_t>(i.d);
  const Slot* predicates = warp.operands(i);
  const LaneMask first = warp.mask(predicates[0]) ^ ((i.width & 1) != 0 ? all_lanes : 0);
  const LaneMask second = warp.mask(predicates[1]) ^ ((i.width & 2) != 0 ? all_lanes : 0);
  const std::uint32_t flip_a = (i.flags & 1) != 0 ? ~0u : 0, flip_b = (i.flags & 2) != 0 ? ~0u : 0,
                      flip_c = (i.flags & 4) != 0 ? ~0u : 0, ones = i.count;
  const LaneMask exec = warp.exec;
  LaneMask carry = 0, high_carry = 0;
  TILESCOPE_INDEPENDENT_LANES
  for (int lane = 0; lane < lane_count; ++lane) {
    const std::uint32_t x = a[lane] ^ flip_a, y = b[lane] ^ flip_b, z = c[lane] ^ flip_c;
    const std::uint32_t more = ones + (first >> lane & 1u) + (second >> lane & 1u);
    const std::uint32_t xy = x + y, xyz = xy + z, sum = xyz + more;
    const std::uint32_t carries = (xy < x ? 1u : 0u) + (xyz < xy ? 1u : 0u) + (sum < xyz ? 1u : 0u);
    carry |= static_cast<LaneMask>(carries >= 1 ? 1u : 0u) << lane;
    high_carry |= static_cast<LaneMask>(carries >= 2 ? 1u : 0u) << lane;
    d[lane] = (exec >> lane & 1u) != 0 ? sum : d[lane];
  }
  warp.set_mask(predicates[3], high_carry);
  warp.set_mask(predicates[2], carry);
}

Handler AddHandler(AddForm form) {
  switch (form) {
    case AddForm::two:
      return binary<Add, std::uint32_t>;
    case AddForm::three:
      return ternary<Add3, std::uint32_t>;
    case AddForm::difference:
      return binary<Subtract, std::uint32_t>;
    case AddForm::difference_of_three:
      return ternary<SubtractFromFirst, std::uint32_t>;
    case AddForm::carry_out:
      return add2_carry_out;
    case AddForm::carry_in:
      return add2_carry_in;
    default:
      return add3_any;
  }
}

struct AddHalves {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
    return ((a + b) & 0xffffu) | ((a & 0xffff0000u) + (b & 0xffff0000u));
  }
};
Handler VectorAddHandler(bool halves) {
  return halves ? binary<AddHalves, std::uint32_t> : binary<Add, std::uint32_t>;
}
Handler AbsoluteHandler() {
  return unary<Absolute, std::int32_t>;
}

struct DifferencePlus {
  template <class T>
  std::uint32_t operator()(T a, T b, std::uint32_t c) const {
    const std::uint32_t up = static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
    return (a > b ? up : 0u - up) + c;
  }
};
// With its sign where T has one.
template <class T>
HWY_INLINE int byte_at(std::uint32_t word, int bit) {
  return static_cast<T>(word >> bit & 0xffu);
}
// |a - b| of each byte, as four bytes or, with `sum`, added to c.
template <class T, bool sum>
struct DifferenceOfBytes {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    std::uint32_t result = sum ? c : 0;
    for (int k = 0; k < 32; k += 8) {
      const int x = byte_at<T>(a, k), y = byte_at<T>(b, k);
      const auto difference = static_cast<std::uint32_t>(x > y ? x - y : y - x);
      result += sum ? difference : difference << k;
    }
    return result;
  }
};
Handler DifferenceHandler(bool bytes, bool with_sign, bool sum) {
  if (!bytes) {
    return with_sign ? ternary<DifferencePlus, std::uint32_t, std::int32_t, std::int32_t, std::uint32_t>
                     : ternary<DifferencePlus, std::uint32_t>;
  }
  if (with_sign) {
    return sum ? ternary<DifferenceOfBytes<std::int8_t, true>, std::uint32_t>
               : ternary<DifferenceOfBytes<std::int8_t, false>, std::uint32_t>;
  }
  return sum ? ternary<DifferenceOfBytes<std::uint8_t, true>, std::uint32_t>
             : ternary<DifferenceOfBytes<std::uint8_t, false>, std::uint32_t>;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(AddHandler);
HWY_EXPORT(VectorAddHandler);
HWY_EXPORT(AbsoluteHandler);
HWY_EXPORT(DifferenceHandler);

// Operands of an IADD3 in the order of its text.
struct Add3Operands {
  std::array<simt::Slot, 2> carries_out{};
  bool has_carry_out = false, has_second_carry_out = false;
  std::array<Decoder::Source, 3> sources{};
  std::array<Decoder::Predicate, 2> carries_in{};
  // The third source is RZ.
  bool is_of_two = false;
};

// nvdisasm does not write a result that is dropped, so that the second alone looks like the first. The first is in bits
// 81 to 83.
bool has_only_second_carry(const Decoder& decoder, bool has_two) {
  return !has_two && (decoder.word().high >> 17 & 7u) == true_predicate;
}

Add3Operands take_add3(Decoder& decoder, bool extended) {
  Add3Operands taken;
  taken.carries_out.fill(decoder.slots().predicate(true_predicate));
  std::size_t next = 1;
  const bool has_two = is_predicate_operand(decoder, 1) && is_predicate_operand(decoder, 2);
  for (std::size_t k = has_only_second_carry(decoder, has_two) ? 1 : 0; k < 2; ++k) {
    if (!is_predicate_operand(decoder, next)) break;
    (k == 0 ? taken.has_carry_out : taken.has_second_carry_out) = !decoder.is_true(next);
    taken.carries_out[k] = decoder.write_predicate(next++);
  }
  for (Decoder::Source& source : taken.sources) {
    source = decoder.source(next++);
    if (source.is_absolute || !source.selector.empty()) decoder.unsupported("a part of a source");
    if (extended ? source.is_negated : source.is_inverted) decoder.unsupported("the sign of a source");
  }
  const Decoder::Source& third = taken.sources[2];
  taken.is_of_two = third.slot == decoder.zero() && !third.is_negated && !third.is_inverted;
  taken.carries_in.fill({decoder.zero(), false});
  if (!extended) return taken;
  for (Decoder::Predicate& carry : taken.carries_in) carry = decoder.predicate(next++);
  return taken;
}

// Never true: !PT.
bool is_false(const Decoder& decoder, std::size_t index) {
  const Operand& operand = decoder.operand(index);
  return operand.index == true_predicate && operand.is_not;
}

AddForm form_of(const Add3Operands& taken, bool extended, bool no_second_carry_in) {
  const auto& [a, b, c] = taken.sources;
  const bool has_sign = a.is_negated || a.is_inverted || c.is_negated || c.is_inverted || b.is_inverted;
  if (has_sign || taken.has_second_carry_out) return AddForm::any;
  if (extended) {
    const bool is_simple = taken.is_of_two && !b.is_negated && !taken.has_carry_out && no_second_carry_in &&
                           !taken.carries_in[0].is_negated;
    return is_simple ? AddForm::carry_in : AddForm::any;
  }
  if (taken.has_carry_out) return taken.is_of_two && !b.is_negated ? AddForm::carry_out : AddForm::any;
  if (taken.is_of_two) return b.is_negated ? AddForm::difference : AddForm::two;
  return b.is_negated ? AddForm::difference_of_three : AddForm::three;
}

}  // namespace

void decode_add3(Decoder& decoder, simt::Instruction& instruction) {
  const bool extended = decoder.take("X");
  Add3Operands taken = take_add3(decoder, extended);
  auto& [a, b, c] = taken.sources;
  const bool is_sum = !taken.has_carry_out && !taken.has_second_carry_out && !extended;
  if (is_sum && a.is_negated && !b.is_negated) std::swap(a, b);
  const std::size_t last = decoder.operand_count() - 1;
  const AddForm form = form_of(taken, extended, extended && is_false(decoder, last));
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(0);
  instruction.a = a.slot;
  instruction.b = b.slot;
  instruction.c = form == AddForm::carry_in ? taken.carries_in[0].slot : c.slot;
  instruction.execute = HWY_DYNAMIC_DISPATCH(AddHandler)(form);
  if (form == AddForm::carry_out) decoder.more_operands(instruction, std::span(taken.carries_out).first(1));
  if (form != AddForm::any) return;
  for (std::size_t k = 0; k < 3; ++k) {
    const Decoder::Source& source = taken.sources[k];
    if (source.is_negated || source.is_inverted) instruction.flags |= static_cast<std::uint8_t>(1u << k);
    if (source.is_negated) ++instruction.count;
  }
  const auto& [first, second] = taken.carries_in;
  instruction.width = static_cast<std::uint8_t>((first.is_negated ? 1 : 0) | (second.is_negated ? 2 : 0));
  decoder.more_operands(instruction,
                        std::array{first.slot, second.slot, taken.carries_out[0], taken.carries_out[1]});
}

void decode_vector_add(Decoder& decoder, simt::Instruction& instruction) {
  const bool halves = decoder.take("16x2");
  instruction.execute = HWY_DYNAMIC_DISPATCH(VectorAddHandler)(halves);
  act_uniformly(decoder, instruction);
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  const Decoder::Source b = decoder.source(2);
  if (b.is_absolute || b.is_inverted || !b.selector.empty() || (halves && b.is_negated)) {
    decoder.unsupported("the sign of a source");
  }
  instruction.b = b.slot;
  if (b.is_negated) instruction.execute = HWY_DYNAMIC_DISPATCH(AddHandler)(AddForm::difference);
}

void decode_absolute(Decoder& decoder, simt::Instruction& instruction) {
  instruction.execute = HWY_DYNAMIC_DISPATCH(AbsoluteHandler)();
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
}

void decode_difference(Decoder& decoder, simt::Instruction& instruction) {
  const bool bytes = decoder.opcode() == "VABSDIFF4";
  const bool is_unsigned = decoder.take(bytes ? "U8" : "U32");
  if (bytes && !is_unsigned && !decoder.take("S8")) decoder.unsupported("neither .U8 nor .S8");
  const bool sum = bytes && decoder.take("ACC");
  instruction.execute = HWY_DYNAMIC_DISPATCH(DifferenceHandler)(bytes, !is_unsigned, sum);
  instruction.d = decoder.write(0);
  instruction.a = decoder.plain(1);
  instruction.b = decoder.plain(2);
  instruction.c = decoder.plain(3);
  if (bytes && !sum && instruction.c != decoder.zero()) decoder.unsupported("a third source without .ACC");
}

}  // namespace tilescope::sass
#endif
