#include "profiler/ptx/instructions/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/ptx/instructions/matrix/mma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "profiler/simt/matrix/integer_tiles-inl.hpp"
#include "profiler/simt/matrix/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// The operands are D, A, B and C, in their order.
template <class Factor, int depth, class Accumulator>
void mma(Warp& warp, const Instruction& i) {
  constexpr int tiles = depth / Factor::columns;
  const Slot* d = warp.operands(i);
  const Slot* a = d + 2 * Accumulator::registers;
  const Slot* b = a + 2 * tiles;
  multiply_fragments<Factor, depth, Accumulator, Accumulator>(warp, d, a, b, b + tiles);
}

template <class A, class B, int depth, bool saturates>
void integer_mma(Warp& warp, const Instruction& i) {
  const Slot* d = warp.operands(i);
  const Slot* a = d + 4;
  const Slot* b = a + depth / 8;
  multiply_integers<A, B, depth, saturates>(warp, d, a, b, b + depth / 16);
}

template <class Half>
Handler of_halves(int depth, bool is_f32) {
  using Factor = HalfFactor<Half>;
  if (depth == 8) return is_f32 ? mma<Factor, 8, F32Accumulator> : mma<Factor, 8, F16Accumulator>;
  return is_f32 ? mma<Factor, 16, F32Accumulator> : mma<Factor, 16, F16Accumulator>;
}

Handler MmaHandler(Type factor, int depth, bool is_f32) {
  if (factor == Type::f16) return of_halves<F16>(depth, is_f32);
  if (factor == Type::bf16) return of_halves<BF16>(depth, is_f32);
  return depth == 4 ? mma<Tf32Factor, 4, F32Accumulator> : mma<Tf32Factor, 8, F32Accumulator>;
}

template <class A, class B>
Handler of_bytes(int depth, bool saturates) {
  if (depth == 16) return saturates ? integer_mma<A, B, 16, true> : integer_mma<A, B, 16, false>;
  return saturates ? integer_mma<A, B, 32, true> : integer_mma<A, B, 32, false>;
}

Handler IntegerMmaHandler(bool a_signed, bool b_signed, int depth, bool saturates) {
  if (a_signed) {
    return b_signed ? of_bytes<std::int8_t, std::int8_t>(depth, saturates)
                    : of_bytes<std::int8_t, std::uint8_t>(depth, saturates);
  }
  return b_signed ? of_bytes<std::uint8_t, std::int8_t>(depth, saturates)
                  : of_bytes<std::uint8_t, std::uint8_t>(depth, saturates);
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(MmaHandler);
HWY_EXPORT(IntegerMmaHandler);

struct MmaForm {
  int depth = 0;
  Type d = Type::none, a = Type::none, b = Type::none, c = Type::none;
  bool saturates = false;
};

MmaForm take_form(Decoder& decoder) {
  MmaForm form;
  if (!decoder.take("sync") || !decoder.take("aligned")) decoder.unsupported("mma is .sync.aligned");
  if (decoder.take("m16n8k4")) form.depth = 4;
  if (decoder.take("m16n8k8")) form.depth = 8;
  if (decoder.take("m16n8k16")) form.depth = 16;
  if (decoder.take("m16n8k32")) form.depth = 32;
  if (form.depth == 0) decoder.unsupported("the shapes known are m16n8k4, m16n8k8, m16n8k16 and m16n8k32");
  if (!decoder.take("row") || !decoder.take("col")) decoder.unsupported("A is .row and B is .col");
  form.saturates = decoder.take("satfinite");
  form.d = decoder.take_type();
  form.a = decoder.take_type();
  form.b = decoder.take_type();
  form.c = decoder.take_type();
  return form;
}

bool is_byte(Type type) {
  return type == Type::s8 || type == Type::u8;
}

// Whether the ISA has this combination of shape and types, among the types that are executed here.
bool exists(const MmaForm& form) {
  if (is_byte(form.a) && is_byte(form.b)) {
    return form.d == Type::s32 && form.c == Type::s32 && (form.depth == 16 || form.depth == 32);
  }
  if (form.a != form.b || form.d != form.c || form.saturates) return false;
  const bool is_short = form.depth == 8 || form.depth == 16;
  if (form.a == Type::f16) return is_short && (form.d == Type::f32 || form.d == Type::f16);
  if (form.a == Type::bf16) return is_short && form.d == Type::f32;
  return form.a == Type::tf32 && form.d == Type::f32 && (form.depth == 4 || form.depth == 8);
}

template <class TakeRegister>
void take_fragment(Decoder& decoder, std::size_t index, std::size_t count, std::vector<Slot>& slots,
                   TakeRegister take) {
  const OperandSyntax& operand = decoder.take_operand(index);
  const bool is_vector = operand.kind == OperandSyntax::Kind::vector;
  if ((is_vector ? operand.elements.size() : 1) != count) {
    decoder.unsupported("a fragment of another number of registers");
  }
  for (std::size_t e = 0; e < count; ++e) slots.push_back(take(is_vector ? operand.elements[e] : operand));
}

void decode_mma(Decoder& decoder, Instruction& instruction) {
  const MmaForm form = take_form(decoder);
  if (!exists(form)) decoder.unsupported("this combination of shape and types is not known");
  const int columns = is_byte(form.a) ? 16 : form.a == Type::tf32 ? 4 : 8;
  const auto tiles = static_cast<std::size_t>(form.depth / columns);
  const std::size_t accumulators = form.d == Type::f16 ? 2 : 4;
  const auto read = [&](const OperandSyntax& operand) { return decoder.read(operand, Type::b32); };
  std::vector<Slot> a, b, c, slots;
  take_fragment(decoder, 1, 2 * tiles, a, read);
  take_fragment(decoder, 2, tiles, b, read);
  take_fragment(decoder, 3, accumulators, c, read);
  take_fragment(decoder, 0, accumulators, slots,
                [&](const OperandSyntax& operand) { return decoder.write(operand, Type::b32); });
  for (const auto* part : {&a, &b, &c}) slots.insert(slots.end(), part->begin(), part->end());
  decoder.more_operands(instruction, slots);
  instruction.flow = Flow::warp_wide;
  instruction.a = decoder.constant(all_lanes, 4);
  instruction.execute = is_byte(form.a)
                            ? HWY_DYNAMIC_DISPATCH(IntegerMmaHandler)(form.a == Type::s8, form.b == Type::s8,
                                                                      form.depth, form.saturates)
                            : HWY_DYNAMIC_DISPATCH(MmaHandler)(form.a, form.depth, form.d == Type::f32);
}

constexpr Opcode opcodes[] = {{"mma", decode_mma, Pipe::tensor}};

}  // namespace

std::span<const Opcode> mma_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
