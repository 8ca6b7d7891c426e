#include "profiler/execution/ptx/instructions/families.hpp"
#include "profiler/execution/ptx/instructions/float_facts.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/matrix/wmma.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "profiler/execution/ptx/instructions/matrix/wmma_fragment.hpp"
#include "profiler/execution/ptx/instructions/memory/modifiers.hpp"
#include "profiler/execution/simt/matrix/tiles-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

// Reads a tile of an accumulator of 16 rows, of which the last 8 may be missing.
template <class Accumulator>
HWY_INLINE void read_rows(const Warp& warp, const Slot* slots, bool has_both, float* values) {
  Accumulator::read(warp, slots, values);
  if (has_both) {
    Accumulator::read(warp, slots + Accumulator::registers, values + 64);
  } else {
    std::memset(values + 64, 0, 64 * sizeof(float));
  }
}

// The operands are D, A, B and C, in their order; `count` is the shape, `width` the registers of A and of B.
template <class Factor, int depth, class Result, class Addend>
void wmma_mma(Warp& warp, const Instruction& i) {
  constexpr int steps = depth / Factor::columns;
  constexpr int tile_size = 8 * Factor::columns;
  const WmmaShape shape = wmma_shapes[i.count];
  const bool has_both = shape.m > 8;  // halves of 16 rows
  const int halves = has_both ? 2 : 1;
  const int blocks = shape.m / 8 * (shape.n / 8);
  const Slot* d = warp.operands(i);
  const Slot* a = d + blocks * Result::registers;
  const Slot* b = a + (i.width & 15);
  const Slot* c = b + (i.width >> 4);
  alignas(64) float a_values[2 * steps * tile_size];
  alignas(64) float b_values[4][steps * tile_size];
  alignas(64) float sums[4][128];  // of at most 4 blocks of 16 x 8
  for (int n = 0; n < shape.n / 8; ++n) {
    for (int step = 0; step < steps; ++step) {
      Factor::transposed(warp.read<std::uint32_t>(b[n * steps + step]), b_values[n] + step * tile_size);
    }
  }
  int block = 0;
  for (int m = 0; m < std::max(shape.m / 16, 1); ++m) {
    std::memset(a_values, 0, sizeof a_values);
    for (int step = 0; step < steps; ++step) {
      for (int half = 0; half < halves; ++half) {
        const Slot tile = a[(m * steps + step) * halves + half];
        Factor::tile(warp.read<std::uint32_t>(tile), a_values + (2 * step + half) * tile_size);
      }
    }
    for (int n = 0; n < shape.n / 8; ++n, ++block) {
      read_rows<Addend>(warp, c + block * halves * Addend::registers, has_both, sums[block]);
      multiply<Factor::columns, depth>(a_values, b_values[n], sums[block]);
    }
  }
  // Written after everything was read, because D may be C.
  for (int k = 0; k < block; ++k) {
    for (int half = 0; half < halves; ++half) {
      Result::write(warp, d + (k * halves + half) * Result::registers, sums[k] + 64 * half);
    }
  }
}

template <class Factor, int depth>
Handler of_sums(bool is_d_f32, bool is_c_f32) {
  if (is_d_f32) {
    return is_c_f32 ? wmma_mma<Factor, depth, F32Accumulator, F32Accumulator>
                    : wmma_mma<Factor, depth, F32Accumulator, F16Accumulator>;
  }
  return is_c_f32 ? wmma_mma<Factor, depth, F16Accumulator, F32Accumulator>
                  : wmma_mma<Factor, depth, F16Accumulator, F16Accumulator>;
}

Handler WmmaHandler(Type factor, bool is_d_f32, bool is_c_f32) {
  if (factor == Type::f16) return of_sums<HalfFactor<F16>, 16>(is_d_f32, is_c_f32);
  if (factor == Type::bf16) return wmma_mma<HalfFactor<BF16>, 16, F32Accumulator, F32Accumulator>;
  return wmma_mma<Tf32Factor, 8, F32Accumulator, F32Accumulator>;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(WmmaHandler);

std::uint8_t take_shape(Decoder& decoder) {
  for (std::size_t s = 0; s < wmma_shape_names.size(); ++s) {
    if (decoder.take(wmma_shape_names[s])) return static_cast<std::uint8_t>(s);
  }
  decoder.unsupported("the shape is not known");
}

bool take_is_row(Decoder& decoder) {
  if (decoder.take("row")) return true;
  if (!decoder.take("col")) decoder.unsupported("the layout, .row or .col, is missing");
  return false;
}

WmmaMatrix take_matrix(Decoder& decoder, bool is_store) {
  if (is_store) {
    if (decoder.take("d")) return WmmaMatrix::accumulator;
    decoder.unsupported("wmma.store has .d");
  }
  if (decoder.take("a")) return WmmaMatrix::a;
  if (decoder.take("b")) return WmmaMatrix::b;
  if (decoder.take("c")) return WmmaMatrix::accumulator;
  decoder.unsupported("wmma.load has .a, .b or .c");
}

template <class TakeRegister>
void take_fragment(Decoder& decoder, std::size_t index, int count, std::vector<Slot>& slots,
                   TakeRegister take) {
  const OperandSyntax& operand = decoder.take_operand(index);
  if (operand.elements.size() != static_cast<std::size_t>(count)) {
    decoder.unsupported("a fragment of another number of registers");
  }
  for (const OperandSyntax& element : operand.elements) slots.push_back(take(element));
}

void decode_access(Decoder& decoder, Instruction& instruction, bool is_store) {
  WmmaAccess access;
  access.fragment.matrix = take_matrix(decoder, is_store);
  const bool is_row = take_is_row(decoder);
  access.rows_are_contiguous = is_row == (access.fragment.matrix != WmmaMatrix::b);
  access.fragment.shape = take_shape(decoder);
  access.space = take_space(decoder);
  if (access.space != Space::generic && access.space != Space::global && access.space != Space::shared) {
    decoder.unsupported("fragments are in global or shared memory");
  }
  access.fragment.type = decoder.take_type();
  if (!access.fragment.exists()) decoder.unsupported("this combination of shape and type is not known");
  const Decoder::Address address = decoder.read_address(is_store ? 0 : 1);
  access.base_bytes = address.bytes;
  instruction.b = address.base;
  instruction.immediate = address.offset;
  if (decoder.operand_count() > 2) instruction.c = decoder.read(2, Type::u32);
  std::vector<Slot> slots;
  take_fragment(decoder, is_store ? 1 : 0, access.fragment.registers(), slots,
                [&](const OperandSyntax& operand) {
                  return is_store ? decoder.read(operand, Type::b32) : decoder.write(operand, Type::b32);
                });
  decoder.more_operands(instruction, slots);
  access.pack(instruction);
  if (access.space != Space::global) decoder.note_shared_element(size_of(access.fragment.type));
  decoder.set_pipe(Pipe::lsu);
  decoder.data().use = is_store ? DataUse::matrix_store : DataUse::matrix_load;
  instruction.execute = is_store ? wmma_store : wmma_load;
}

void decode_product(Decoder& decoder, Instruction& instruction) {
  take_is_row(decoder);
  take_is_row(decoder);
  const std::uint8_t shape = take_shape(decoder);
  // f16 factors are not named: .dtype.ctype; others are: .dtype.atype.btype.ctype.
  std::vector<Type> types;
  for (Type type = decoder.take_type(); type != Type::none; type = decoder.take_type_if_any())
    types.push_back(type);
  const auto product = wmma_product(shape, types);
  if (!product) decoder.unsupported("this combination of shape and types is not known");
  const Type factor = product->factor;
  const int a_registers = WmmaFragment{WmmaMatrix::a, factor, shape}.registers();
  const int b_registers = WmmaFragment{WmmaMatrix::b, factor, shape}.registers();
  const auto accumulators = [&](Type type) {
    return WmmaFragment{WmmaMatrix::accumulator, type, shape}.registers();
  };
  const auto read = [&](const OperandSyntax& operand) { return decoder.read(operand, Type::b32); };
  std::vector<Slot> factors, slots;
  take_fragment(decoder, 1, a_registers, factors, read);
  take_fragment(decoder, 2, b_registers, factors, read);
  take_fragment(decoder, 3, accumulators(product->c), factors, read);
  take_fragment(decoder, 0, accumulators(product->d), slots,
                [&](const OperandSyntax& operand) { return decoder.write(operand, Type::b32); });
  slots.insert(slots.end(), factors.begin(), factors.end());
  decoder.more_operands(instruction, slots);
  instruction.count = shape;
  instruction.width = static_cast<std::uint8_t>(a_registers | b_registers << 4);
  instruction.execute =
      HWY_DYNAMIC_DISPATCH(WmmaHandler)(factor, product->d == Type::f32, product->c == Type::f32);
}

void decode_wmma(Decoder& decoder, Instruction& instruction) {
  const bool is_load = decoder.take("load"), is_store = decoder.take("store");
  if (!is_load && !is_store && !decoder.take("mma")) decoder.unsupported("wmma is .load, .store or .mma");
  if (!decoder.take("sync") || !decoder.take("aligned")) decoder.unsupported("wmma is .sync.aligned");
  if (is_load || is_store) {
    decode_access(decoder, instruction, is_store);
  } else {
    decode_product(decoder, instruction);
  }
  instruction.flow = Flow::warp_wide;
  instruction.a = decoder.constant(all_lanes, 4);
}

constexpr Opcode opcodes[] = {{"wmma", decode_wmma, Pipe::tensor, DataUse::matrix_product, wmma_floats}};

}  // namespace

std::span<const Opcode> wmma_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
