#include <vector>

#include "profiler/sass/instructions/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/sass/instructions/matrix.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/simt/matrix/integer_tiles-inl.hpp"
#include "profiler/simt/matrix/tiles-inl.hpp"

// HMMA and IMMA: D = A * B + C of 16 x 8, whose fragments lie in registers one after the other.
HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;
using simt::Handler, simt::Instruction, simt::Slot, simt::Warp;

// The operands are D, A, B and C, in their order.
template <class Factor, int depth, class Accumulator>
void multiply_halves(Warp& warp, const Instruction& i) {
  constexpr int tiles = depth / Factor::columns;
  const Slot* d = warp.operands(i);
  const Slot* a = d + 2 * Accumulator::registers;
  const Slot* b = a + 2 * tiles;
  multiply_fragments<Factor, depth, Accumulator, Accumulator>(warp, d, a, b, b + tiles);
}
template <class A, class B, int depth, bool saturates>
void multiply_bytes(Warp& warp, const Instruction& i) {
  const Slot* d = warp.operands(i);
  const Slot* a = d + 4;
  const Slot* b = a + depth / 8;
  multiply_integers<A, B, depth, saturates>(warp, d, a, b, b + depth / 16);
}

template <class Half>
Handler of_halves(int depth, bool is_f32) {
  using Factor = HalfFactor<Half>;
  if (depth == 8)
    return is_f32 ? multiply_halves<Factor, 8, F32Accumulator> : multiply_halves<Factor, 8, F16Accumulator>;
  return is_f32 ? multiply_halves<Factor, 16, F32Accumulator> : multiply_halves<Factor, 16, F16Accumulator>;
}
Handler HalfMatrixHandler(bool is_bf16, int depth, bool is_f32) {
  return is_bf16 ? of_halves<BF16>(depth, is_f32) : of_halves<F16>(depth, is_f32);
}
Handler Tf32MatrixHandler(int depth) {
  return depth == 4 ? multiply_halves<Tf32Factor, 4, F32Accumulator>
                    : multiply_halves<Tf32Factor, 8, F32Accumulator>;
}

template <class A, class B>
Handler of_bytes(int depth, bool saturates) {
  if (depth == 16) return saturates ? multiply_bytes<A, B, 16, true> : multiply_bytes<A, B, 16, false>;
  return saturates ? multiply_bytes<A, B, 32, true> : multiply_bytes<A, B, 32, false>;
}
Handler ByteMatrixHandler(bool a_signed, bool b_signed, int depth, bool saturates) {
  if (a_signed) {
    return b_signed ? of_bytes<std::int8_t, std::int8_t>(depth, saturates)
                    : of_bytes<std::int8_t, std::uint8_t>(depth, saturates);
  }
  return b_signed ? of_bytes<std::uint8_t, std::int8_t>(depth, saturates)
                  : of_bytes<std::uint8_t, std::uint8_t>(depth, saturates);
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(HalfMatrixHandler);
HWY_EXPORT(Tf32MatrixHandler);
HWY_EXPORT(ByteMatrixHandler);

// The registers of D and C, of A and of B.
struct Fragments {
  int accumulators = 0, a = 0, b = 0;
};

void decode_fragments(Decoder& decoder, simt::Instruction& instruction, Fragments count, bool has_layout) {
  std::vector<simt::Slot> slots;
  const auto add = [&](simt::Slot first, int registers) {
    for (int r = 0; r < registers; ++r) slots.push_back(first + RegisterSlots::step * r);
  };
  add(decoder.write(0, count.accumulators), count.accumulators);
  add(decoder.registers(1, count.a, has_layout ? "ROW" : ""), count.a);
  add(decoder.registers(2, count.b, has_layout ? "COL" : ""), count.b);
  add(decoder.registers(3, count.accumulators), count.accumulators);
  decoder.more_operands(instruction, slots);
}

int take_depth(Decoder& decoder) {
  const std::string_view shape = decoder.take_next();
  if (shape == "1684") return 4;
  if (shape == "1688") return 8;
  if (shape == "16816") return 16;
  if (shape == "16832") return 32;
  decoder.unsupported("its shape is not known");
}

// "HMMA.16816.F32.BF16 R12, R4, R2, R12"
void decode_half_matrix(Decoder& decoder, simt::Instruction& instruction) {
  const int depth = take_depth(decoder);
  const bool is_f32 = decoder.take("F32");
  if (!is_f32 && !decoder.take("F16")) decoder.unsupported("its accumulator is not known");
  const bool is_tf32 = decoder.take("TF32"), is_bf16 = decoder.take("BF16");
  const bool exists = is_tf32 ? (depth == 4 || depth == 8) : (depth == 8 || depth == 16);
  if (!exists || (!is_f32 && (is_tf32 || is_bf16))) decoder.unsupported("this shape with these types");
  const int tiles = depth / (is_tf32 ? 4 : 8);
  decode_fragments(decoder, instruction, {is_f32 ? 4 : 2, 2 * tiles, tiles}, false);
  instruction.execute = is_tf32 ? HWY_DYNAMIC_DISPATCH(Tf32MatrixHandler)(depth)
                                : HWY_DYNAMIC_DISPATCH(HalfMatrixHandler)(is_bf16, depth, is_f32);
}

// "IMMA.16832.U8.S8.SAT R12, R4.ROW, R2.COL, R8"
void decode_byte_matrix(Decoder& decoder, simt::Instruction& instruction) {
  const int depth = take_depth(decoder);
  if (depth != 16 && depth != 32) decoder.unsupported("this shape of integers");
  const bool saturates = decoder.take("SAT");
  const std::string_view a = decoder.take_next(), b = decoder.take_next();
  const auto is_byte = [](std::string_view type) { return type == "S8" || type == "U8"; };
  if (!is_byte(a) || !is_byte(b)) decoder.unsupported("factors that are no bytes");
  decode_fragments(decoder, instruction, {4, depth / 8, depth / 16}, true);
  instruction.execute = HWY_DYNAMIC_DISPATCH(ByteMatrixHandler)(a == "S8", b == "S8", depth, saturates);
}

constexpr Opcode opcodes[] = {{"HMMA", decode_half_matrix, simt::Pipe::tensor},
                              {"IMMA", decode_byte_matrix, simt::Pipe::tensor}};

}  // namespace

std::span<const Opcode> matrix_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
#endif
