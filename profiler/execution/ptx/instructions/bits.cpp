#include <string>
#include <type_traits>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/forms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/bits.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/simt/lanes/bit_operations-inl.hpp"
#include "profiler/execution/simt/lanes/lane_loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

struct BitAnd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct BitNot {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  T operator()(T a) const {
    return a == 0 ? T{1} : T{0};
  }
};

// Shifts past the width give 0, or the sign.
struct ShiftLeft {
  template <class T>
  T operator()(T a, std::uint32_t b) const {
    constexpr std::uint32_t bits = 8 * sizeof(T);
    const T shifted = static_cast<T>(a << (b & (bits - 1)));
    return b < bits ? shifted : T{0};
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, std::uint32_t b) const {
    constexpr std::uint32_t bits = 8 * sizeof(T);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(a >> (b < bits ? b : bits - 1));
    } else {
      const T shifted = static_cast<T>(a >> (b & (bits - 1)));
      return b < bits ? shifted : T{0};
    }
  }
};
// 32 bits of the pair b:a, moved by c: .wrap takes c modulo 32, .clamp at most 32.
template <bool left, bool wrap>
struct FunnelShift {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const std::uint32_t n = wrap ? c & 31u : (c < 32u ? c : 32u);
    const std::uint64_t pair = std::uint64_t{b} << 32 | a;
    return static_cast<std::uint32_t>(left ? (pair << n) >> 32 : pair >> n);
  }
};

template <class Operation>
Handler two_sources(int bytes) {
  return bytes == 2   ? binary<Operation, std::uint16_t>
         : bytes == 4 ? binary<Operation, std::uint32_t>
                      : binary<Operation, std::uint64_t>;
}
template <class Operation>
Handler one_source(int bytes) {
  return bytes == 2   ? unary<Operation, std::uint16_t>
         : bytes == 4 ? unary<Operation, std::uint32_t>
                      : unary<Operation, std::uint64_t>;
}

Handler LogicHandler(std::string_view opcode, int bytes) {
  if (opcode == "and") return two_sources<BitAnd>(bytes);
  if (opcode == "or") return two_sources<BitOr>(bytes);
  if (opcode == "xor") return two_sources<BitXor>(bytes);
  return opcode == "not" ? one_source<BitNot>(bytes) : one_source<LogicalNot>(bytes);
}

template <class Operation, class T>
Handler shift_of() {
  return binary<Operation, T, T, std::uint32_t>;
}
Handler ShiftHandler(bool left, Type type) {
  const bool with_sign = is_signed(type) && !left;
  switch (size_of(type)) {
    case 2:
      return left        ? shift_of<ShiftLeft, std::uint16_t>()
             : with_sign ? shift_of<ShiftRight, std::int16_t>()
                         : shift_of<ShiftRight, std::uint16_t>();
    case 4:
      return left        ? shift_of<ShiftLeft, std::uint32_t>()
             : with_sign ? shift_of<ShiftRight, std::int32_t>()
                         : shift_of<ShiftRight, std::uint32_t>();
    default:
      return left        ? shift_of<ShiftLeft, std::uint64_t>()
             : with_sign ? shift_of<ShiftRight, std::int64_t>()
                         : shift_of<ShiftRight, std::uint64_t>();
  }
}
Handler FunnelShiftHandler(bool left, bool wrap) {
  if (left)
    return wrap ? ternary<FunnelShift<true, true>, std::uint32_t>
                : ternary<FunnelShift<true, false>, std::uint32_t>;
  return wrap ? ternary<FunnelShift<false, true>, std::uint32_t>
              : ternary<FunnelShift<false, false>, std::uint32_t>;
}

void lop3(Warp& warp, const Instruction& i) {
  for_lanes(warp.exec, warp.write<std::uint32_t>(i.d), TruthTable(i.immediate), warp.read<std::uint32_t>(i.a),
            warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
}
// Also p = (d != 0) BoolOp q: p and q are the further operands, `flags` is 1 for .and and 2 where q is negated.
void lop3_with_predicate(Warp& warp, const Instruction& i) {
  alignas(64) std::uint32_t result[lane_count];
  for_lanes(all_lanes, result, TruthTable(i.immediate), warp.read<std::uint32_t>(i.a),
            warp.read<std::uint32_t>(i.b), warp.read<std::uint32_t>(i.c));
  const Slot* further = warp.operands(i);
  const LaneMask set = mask_of_lanes([](std::uint32_t value) { return value != 0; },
                                     static_cast<const std::uint32_t*>(result));
  const LaneMask q = (i.flags & 2) != 0 ? ~warp.mask(further[1]) : warp.mask(further[1]);
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d), [](std::uint32_t value) { return value; },
      static_cast<const std::uint32_t*>(result));
  warp.set_mask(further[0], (i.flags & 1) != 0 ? set & q : set | q);
}
Handler Lop3Handler(bool with_predicate) {
  return with_predicate ? lop3_with_predicate : lop3;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(LogicHandler);
HWY_EXPORT(ShiftHandler);
HWY_EXPORT(FunnelShiftHandler);
HWY_EXPORT(Lop3Handler);

Type take_bits(Decoder& decoder) {
  const Type type = decoder.take_type();
  if (type != Type::b16 && type != Type::b32 && type != Type::b64) {
    decoder.unsupported("a type that is not .b16, .b32 or .b64");
  }
  return type;
}

// A predicate with its negation, of which `flags` holds a bit a source.
LaneMask source_mask(const Warp& warp, Slot slot, bool negated) {
  const LaneMask mask = warp.mask(slot);
  return negated ? ~mask : mask;
}
void and_predicates(Warp& warp, const Instruction& i) {
  warp.set_mask(i.d, source_mask(warp, i.a, (i.flags & 1) != 0) & source_mask(warp, i.b, (i.flags & 2) != 0));
}
void or_predicates(Warp& warp, const Instruction& i) {
  warp.set_mask(i.d, source_mask(warp, i.a, (i.flags & 1) != 0) | source_mask(warp, i.b, (i.flags & 2) != 0));
}
void xor_predicates(Warp& warp, const Instruction& i) {
  warp.set_mask(i.d, source_mask(warp, i.a, (i.flags & 1) != 0) ^ source_mask(warp, i.b, (i.flags & 2) != 0));
}
void not_predicate(Warp& warp, const Instruction& i) {
  warp.set_mask(i.d, ~source_mask(warp, i.a, (i.flags & 1) != 0));
}

void decode_predicate_logic(Decoder& decoder, Instruction& instruction) {
  decoder.take("pred");
  const std::string_view opcode = decoder.opcode();
  instruction.execute = opcode == "and"   ? and_predicates
                        : opcode == "or"  ? or_predicates
                        : opcode == "xor" ? xor_predicates
                                          : not_predicate;
  instruction.d = decoder.write_predicate(0);
  const Decoder::Predicate a = decoder.read_predicate(1);
  instruction.a = a.slot;
  instruction.flags = a.negated ? 1 : 0;
  if (opcode == "not") return;
  const Decoder::Predicate b = decoder.read_predicate(2);
  instruction.b = b.slot;
  if (b.negated) instruction.flags |= 2;
}

void decode_logic(Decoder& decoder, Instruction& instruction) {
  const std::string_view opcode = decoder.opcode();
  if (last_type(decoder) == Type::pred && opcode != "cnot")
    return decode_predicate_logic(decoder, instruction);
  const Type type = take_bits(decoder);
  instruction.execute = HWY_DYNAMIC_DISPATCH(LogicHandler)(opcode, size_of(type));
  decode_operands(decoder, instruction, type, type);
  if (opcode != "not" && opcode != "cnot") instruction.b = decoder.read(2, type);
}

void decode_shift(Decoder& decoder, Instruction& instruction) {
  const Type type = decoder.take_type();
  if (is_floating(type) || size_of(type) < 2 || size_of(type) > 8) {
    decoder.unsupported("a shift of ." + std::string(name_of(type)));
  }
  instruction.execute = HWY_DYNAMIC_DISPATCH(ShiftHandler)(decoder.opcode() == "shl", type);
  decode_operands(decoder, instruction, type, type, Type::u32);
}

void decode_funnel_shift(Decoder& decoder, Instruction& instruction) {
  const bool left = decoder.take("l");
  if (!left && !decoder.take("r")) decoder.unsupported("neither .l nor .r");
  const bool wrap = decoder.take("wrap");
  if (!wrap && !decoder.take("clamp")) decoder.unsupported("neither .wrap nor .clamp");
  if (take_bits(decoder) != Type::b32) decoder.unsupported("a type that is not .b32");
  instruction.execute = HWY_DYNAMIC_DISPATCH(FunnelShiftHandler)(left, wrap);
  decode_operands(decoder, instruction, Type::b32, Type::b32, Type::b32, Type::u32);
}

void decode_lop3(Decoder& decoder, Instruction& instruction) {
  const bool with_and = decoder.take("and");
  const bool with_predicate = with_and || decoder.take("or");
  if (take_bits(decoder) != Type::b32) decoder.unsupported("a type that is not .b32");
  instruction.execute = HWY_DYNAMIC_DISPATCH(Lop3Handler)(with_predicate);
  const OperandSyntax& result = decoder.take_operand(0);
  if (with_predicate != (result.kind == OperandSyntax::Kind::pair)) {
    decoder.unsupported("a predicate result goes with .and or .or");
  }
  instruction.d = decoder.write(with_predicate ? result.elements.at(0) : result, Type::b32);
  instruction.a = decoder.read(1, Type::b32);
  instruction.b = decoder.read(2, Type::b32);
  instruction.c = decoder.read(3, Type::b32);
  instruction.immediate = decoder.immediate(4);
  if (!with_predicate) return;
  const Decoder::Predicate q = decoder.read_predicate(5);
  instruction.flags = static_cast<std::uint8_t>((with_and ? 1 : 0) | (q.negated ? 2 : 0));
  const Slot further[] = {decoder.write_predicate(result.elements.at(1)), q.slot};
  decoder.more_operands(instruction, further);
}

constexpr Opcode opcodes[] = {
    {"and", decode_logic, Pipe::alu},       {"or", decode_logic, Pipe::alu},
    {"xor", decode_logic, Pipe::alu},       {"not", decode_logic, Pipe::alu},
    {"cnot", decode_logic, Pipe::alu},      {"shl", decode_shift, Pipe::alu},
    {"shr", decode_shift, Pipe::alu},       {"shf", decode_funnel_shift, Pipe::alu},
    {"lop3", decode_lop3, Pipe::alu},       {"bfe", decode_bit_field, Pipe::alu},
    {"bfi", decode_bit_field, Pipe::alu},   {"prmt", decode_permute, Pipe::alu},
    {"popc", decode_bit_count, Pipe::alu},  {"clz", decode_bit_count, Pipe::alu},
    {"bfind", decode_bit_count, Pipe::alu}, {"brev", decode_bit_count, Pipe::alu},
    {"fns", decode_find_nth, Pipe::alu},    {"bmsk", decode_bit_mask, Pipe::alu},
    {"szext", decode_bit_mask, Pipe::alu},
};

}  // namespace

std::span<const Opcode> bit_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
