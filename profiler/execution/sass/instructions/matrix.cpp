#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profiler/execution/sass/instructions/families.hpp"
#include "profiler/execution/sass/instructions/float_facts.hpp"
#include "profiler/execution/simt/matrix/mma.hpp"

// HMMA and IMMA: D = A * B + C of 16 x 8, whose fragments lie in registers one after the other.
namespace tilescope::sass {
namespace {

using simt::MmaFactor;

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
  const MmaFactor factor = is_tf32 ? MmaFactor::tf32 : is_bf16 ? MmaFactor::bf16 : MmaFactor::f16;
  instruction.execute = simt::mma_handler(factor, depth, is_f32);
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
  instruction.execute = simt::integer_mma_handler(a == "S8", b == "S8", depth, saturates);
}

// "16816": 16 x 8 x 16; "8816": 8 x 8 x 16; "1688": 16 x 8 x 8; "1684". 0 for no shape.
std::uint32_t products_of_shape(std::string_view shape) {
  const std::uint32_t rows = shape.starts_with("16") ? 16 : 8;
  shape.remove_prefix(rows == 16 ? 2 : shape.starts_with('8') ? 1 : shape.size());
  if (!shape.starts_with('8')) return 0;
  shape.remove_prefix(1);
  std::uint32_t depth = 0;
  const auto [end, error] = std::from_chars(shape.data(), shape.data() + shape.size(), depth);
  return error == std::errc() && end == shape.data() + shape.size() ? rows * 8 * depth : 0;
}
void read_products(const InstructionParts& parts, simt::MachineFacts& facts) {
  if (parts.words.size() > 1) facts.products = products_of_shape(parts.words[1]);
  if (parts.has("TF32")) facts.product_bits = 32;
}
void read_byte_products(const InstructionParts& parts, simt::MachineFacts& facts) {
  read_products(parts, facts);
  facts.product_bits = parts.has("S4") || parts.has("U4") ? 4 : 8;
}

constexpr Opcode opcodes[] = {
    Opcode{"HMMA", decode_half_matrix, simt::Pipe::tensor, HardwarePipe::tensor, Effect::delayed_result,
           read_products}
        .uses(simt::DataUse::matrix_product)
        .computes(matrix_floats),
    Opcode{"IMMA", decode_byte_matrix, simt::Pipe::tensor, HardwarePipe::tensor, Effect::delayed_result,
           read_byte_products}
        .uses(simt::DataUse::matrix_product),
};

}  // namespace

std::span<const Opcode> matrix_opcodes() {
  return opcodes;
}

}  // namespace tilescope::sass
