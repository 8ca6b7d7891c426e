#include <cstring>
#include <vector>

#include "profiler/execution/sass/instructions/load_store.hpp"
#include "profiler/execution/sass/instructions/memory_address.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "profiler/execution/sass/instructions/matrix_moves.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "profiler/execution/sass/instructions/find_lanes-inl.hpp"
#include "profiler/execution/simt/matrix/tile_moves-inl.hpp"

// MOVM, LDSM and STSM: lane 8i + r has the address of row r of matrix i. `count` is the number of matrices, `flags` 1 for
// transposed ones.
#ifndef TILESCOPE_PROFILER_SASS_MATRIX_ROWS
#define TILESCOPE_PROFILER_SASS_MATRIX_ROWS
namespace tilescope::sass {
// The memory of each row; rows that faulted are left out.
simt::LanePointers rows_slowly(Warp& warp, const simt::Instruction& i, LaneMask lanes, simt::Access access);
}  // namespace tilescope::sass
#endif

HWY_BEFORE_NAMESPACE();
namespace tilescope::sass::HWY_NAMESPACE {
using namespace simt::HWY_NAMESPACE;

HWY_INLINE simt::LanePointers find_rows(Warp& warp, const simt::Instruction& i, simt::Access access) {
  const LaneMask lanes = warp.exec & (i.count == 4 ? simt::all_lanes : (LaneMask{1} << 8 * i.count) - 1);
  if (lanes == 0) return {};
  Lanes rows;
  if (!find_lanes<Space::shared, tile_row_bytes, false>(warp, lanes, address_of(warp, i), rows)) {
    return rows_slowly(warp, i, lanes, access);
  }
  if (warp.block().observer != nullptr) tell(warp, i, access, rows, tile_row_bytes, 2);
  simt::LanePointers pointers;
  pointers.lanes = lanes;
  for (std::size_t lane = 0; lane < simt::lane_count; ++lane)
    pointers.at[lane] = rows.base + rows.offset[lane];
  return pointers;
}

void load_matrix(Warp& warp, const simt::Instruction& i) {
  load_tiles(warp, i, find_rows(warp, i, simt::Access::matrix_load), i.flags != 0);
}
void store_matrix(Warp& warp, const simt::Instruction& i) {
  store_tiles(warp, i, find_rows(warp, i, simt::Access::matrix_store), i.flags != 0);
}

// MOVM: a tile of 8 x 8 halves in a register, transposed.
void transpose_register(Warp& warp, const simt::Instruction& i) {
  alignas(64) std::uint16_t tile[64];
  std::memcpy(tile, warp.read<std::uint16_t>(i.b), sizeof tile);
  transpose_tile(tile, tile);
  alignas(64) std::uint32_t pairs[simt::lane_count];
  std::memcpy(pairs, tile, sizeof pairs);
  for_lanes(
      warp.exec, warp.write<std::uint32_t>(i.d), [](std::uint32_t pair) { return pair; }, pairs);
}

simt::Handler TransposeHandler() {
  return transpose_register;
}

simt::Handler MatrixMoveHandler(bool is_store) {
  return is_store ? store_matrix : load_matrix;
}

}  // namespace tilescope::sass::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tilescope::sass {
namespace {

HWY_EXPORT(MatrixMoveHandler);
HWY_EXPORT(TransposeHandler);

// LDSM.16.MT88.4 R4, [R8+0x10]
void decode_matrices(Decoder& decoder, simt::Instruction& instruction, bool is_store) {
  if (!decoder.take("16")) decoder.unsupported("elements that have not 16 bits");
  instruction.flags = decoder.take("MT88") ? 1 : 0;
  if (instruction.flags == 0 && !decoder.take("M88")) decoder.unsupported("matrices of another shape");
  instruction.count = decoder.take("4") ? 4 : decoder.take("2") ? 2 : 1;
  const simt::Slot data =
      is_store ? decoder.registers(1, instruction.count) : decoder.write(0, instruction.count);
  std::vector<simt::Slot> slots;
  slots.reserve(instruction.count);
  for (int m = 0; m < instruction.count; ++m) slots.push_back(data + m * RegisterSlots::step);
  instruction.immediate = decode_address(decoder, is_store ? 0 : 1, slots, instruction.width);
  instruction.immediate -= decoder.reserved_shared_bytes();
  decoder.more_operands(instruction, slots);
  decoder.note_shared_element(16);
  instruction.execute = HWY_DYNAMIC_DISPATCH(MatrixMoveHandler)(is_store);
}

}  // namespace

simt::LanePointers rows_slowly(Warp& warp, const simt::Instruction& i, LaneMask lanes, simt::Access access) {
  const auto addresses = addresses_32(warp, address_of(warp, i));
  return simt::resolve(
      warp, i, {.space = Space::shared, .access = access, .bytes = 16, .element_bytes = 2, .alignment = 16},
      lanes, addresses.data());
}

// MOVM.16.MT88 R4, R6
void decode_transpose(Decoder& decoder, simt::Instruction& instruction) {
  if (!decoder.take("16") || !decoder.take("MT88")) decoder.unsupported("a move of another shape");
  instruction.d = decoder.write(0);
  instruction.b = decoder.plain(1);
  instruction.execute = HWY_DYNAMIC_DISPATCH(TransposeHandler)();
}

void decode_load_matrix(Decoder& decoder, simt::Instruction& instruction) {
  decode_matrices(decoder, instruction, false);
}
void decode_store_matrix(Decoder& decoder, simt::Instruction& instruction) {
  decode_matrices(decoder, instruction, true);
}

}  // namespace tilescope::sass
#endif
