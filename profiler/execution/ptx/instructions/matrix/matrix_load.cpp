#include "profiler/execution/ptx/instructions/families.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/ptx/instructions/matrix/matrix_load.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <vector>

#include "profiler/execution/ptx/instructions/memory/modifiers.hpp"
#include "profiler/execution/simt/matrix/tile_moves-inl.hpp"
#include "profiler/execution/simt/memory/lane_addresses-inl.hpp"

// ldmatrix and stmatrix: lane 8i + r has the address of row r of matrix i, 16 bytes. The matrix is a register of 16-bit
// pairs as tiles-inl.hpp describes it: its lanes, one after the other, are its rows. b is the address, `width` the size
// of its register, `count` the number of matrices, `flags` MatrixFlags.
#ifndef TILESCOPE_PROFILER_PTX_MATRIX_FLAGS
#define TILESCOPE_PROFILER_PTX_MATRIX_FLAGS
namespace tilescope::ptx {
enum MatrixFlags : std::uint8_t { is_transposed = 1, is_generic = 2 };
inline constexpr int row_bytes = 16;
// The memory of each row; rows that faulted are left out.
LanePointers rows_slowly(Warp& warp, const Instruction& i, LaneMask lanes, Access access);
}  // namespace tilescope::ptx
#endif

HWY_BEFORE_NAMESPACE();
namespace tilescope::ptx::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

HWY_INLINE LanePointers find_rows(Warp& warp, const Instruction& i, Access access) {
  const LaneMask lanes = warp.exec & (i.count == 4 ? all_lanes : (LaneMask{1} << 8 * i.count) - 1);
  if (lanes == 0) return {};
  Lanes rows;
  const AddressOperand address{i.b, i.immediate};
  const std::uint64_t window = (i.flags & is_generic) != 0 ? shared_window : 0;
  const bool found = i.width == 4 ? find_shared<std::uint32_t, row_bytes>(warp, lanes, address, window, rows)
                                  : find_shared<std::uint64_t, row_bytes>(warp, lanes, address, window, rows);
  if (!found) return rows_slowly(warp, i, lanes, access);
  if (warp.block().observer != nullptr) tell(warp, i, access, rows, row_bytes, 2);
  LanePointers pointers;
  pointers.lanes = lanes;
  for (std::size_t lane = 0; lane < lane_count; ++lane) pointers.at[lane] = rows.base + rows.offset[lane];
  return pointers;
}

void load_matrix(Warp& warp, const Instruction& i) {
  load_tiles(warp, i, find_rows(warp, i, Access::matrix_load), (i.flags & is_transposed) != 0);
}

void store_matrix(Warp& warp, const Instruction& i) {
  store_tiles(warp, i, find_rows(warp, i, Access::matrix_store), (i.flags & is_transposed) != 0);
}

Handler MatrixHandler(bool is_store) {
  return is_store ? store_matrix : load_matrix;
}

}  // namespace tilescope::ptx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::ptx {
namespace {

HWY_EXPORT(MatrixHandler);

template <class TakeRegister>
void decode_matrices(Decoder& decoder, Instruction& instruction, std::size_t fragment, std::size_t address,
                     TakeRegister take) {
  if (!decoder.take("sync") || !decoder.take("aligned")) decoder.unsupported("it is .sync.aligned");
  if (!decoder.take("m8n8")) decoder.unsupported("only matrices of .m8n8 are known");
  if (decoder.take("x1")) instruction.count = 1;
  if (decoder.take("x2")) instruction.count = 2;
  if (decoder.take("x4")) instruction.count = 4;
  if (instruction.count == 0) decoder.unsupported("the number of matrices, .x1, .x2 or .x4, is missing");
  if (decoder.take("trans")) instruction.flags = is_transposed;
  const Space space = take_space(decoder);
  if (space != Space::shared && space != Space::generic) decoder.unsupported("matrices are in shared memory");
  if (decoder.take_type() != Type::b16) decoder.unsupported("only elements of .b16 are known");
  const Decoder::Address rows = decoder.read_address(address);
  if (space == Space::generic) instruction.flags |= is_generic;
  instruction.b = rows.base;
  instruction.immediate = rows.offset;
  instruction.width = static_cast<std::uint8_t>(rows.bytes);
  const OperandSyntax& operand = decoder.take_operand(fragment);
  const bool is_vector = operand.kind == OperandSyntax::Kind::vector;
  if ((is_vector ? operand.elements.size() : 1) != instruction.count) {
    decoder.unsupported("the number of registers does not match the matrices");
  }
  std::vector<Slot> slots;
  slots.reserve(instruction.count);
  for (std::size_t e = 0; e < instruction.count; ++e)
    slots.push_back(take(is_vector ? operand.elements[e] : operand));
  decoder.more_operands(instruction, slots);
  decoder.note_shared_element(row_bytes);
  instruction.flow = Flow::warp_wide;
  instruction.a = decoder.constant(all_lanes, 4);
  instruction.execute = HWY_DYNAMIC_DISPATCH(MatrixHandler)(fragment == 1);
}

void decode_ldmatrix(Decoder& decoder, Instruction& instruction) {
  decode_matrices(decoder, instruction, 0, 1,
                  [&](const OperandSyntax& operand) { return decoder.write(operand, Type::b32); });
}

void decode_stmatrix(Decoder& decoder, Instruction& instruction) {
  decode_matrices(decoder, instruction, 1, 0,
                  [&](const OperandSyntax& operand) { return decoder.read(operand, Type::b32); });
}

constexpr Opcode opcodes[] = {{"ldmatrix", decode_ldmatrix, Pipe::lsu, DataUse::matrix_load},
                              {"stmatrix", decode_stmatrix, Pipe::lsu, DataUse::matrix_store}};

}  // namespace

LanePointers rows_slowly(Warp& warp, const Instruction& i, LaneMask lanes, Access access) {
  const auto addresses = addresses_of(warp, i.b, i.width, i.immediate);
  const Space space = (i.flags & is_generic) != 0 ? Space::generic : Space::shared;
  return resolve(
      warp, i,
      {.space = space, .access = access, .bytes = row_bytes, .element_bytes = 2, .alignment = row_bytes},
      lanes, addresses.data());
}

std::span<const Opcode> matrix_load_opcodes() {
  return opcodes;
}

}  // namespace tilescope::ptx
#endif
