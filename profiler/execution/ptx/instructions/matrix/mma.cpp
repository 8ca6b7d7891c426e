#include <string_view>
#include <vector>

#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/float_facts.hpp"
#include "profiler/execution/ptx/instructions/matrix/mma_form.hpp"
#include "profiler/execution/simt/matrix/mma.hpp"

namespace tilescope::ptx {
namespace {

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

simt::MmaFactor factor_of(Type type) {
  if (type == Type::f16) return simt::MmaFactor::f16;
  return type == Type::bf16 ? simt::MmaFactor::bf16 : simt::MmaFactor::tf32;
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
  if (!form.exists()) decoder.unsupported("this combination of shape and types is not known");
  const auto tiles = static_cast<std::size_t>(form.depth / form.tile_columns());
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
  instruction.execute =
      is_byte(form.a)
          ? simt::integer_mma_handler(form.a == Type::s8, form.b == Type::s8, form.depth, form.saturates)
          : simt::mma_handler(factor_of(form.a), form.depth, form.d == Type::f32);
}

constexpr Opcode opcodes[] = {{"mma", decode_mma, Pipe::tensor, DataUse::matrix_product, mma_floats}};

}  // namespace

bool MmaForm::exists() const {
  if (is_byte(a) && is_byte(b)) {
    return d == Type::s32 && c == Type::s32 && (depth == 16 || depth == 32);
  }
  if (a != b || d != c || saturates) return false;
  const bool is_short = depth == 8 || depth == 16;
  if (a == Type::f16) return is_short && (d == Type::f32 || d == Type::f16);
  if (a == Type::bf16) return is_short && d == Type::f32;
  return a == Type::tf32 && d == Type::f32 && (depth == 4 || depth == 8);
}

int MmaForm::tile_columns() const {
  if (is_byte(a)) return 16;
  return a == Type::tf32 ? 4 : 8;
}

std::span<const Opcode> mma_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
