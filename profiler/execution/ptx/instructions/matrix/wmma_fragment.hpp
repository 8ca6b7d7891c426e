#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/simt/program.hpp"

/// The fragments of wmma, whose layout the ISA leaves open. Here they have the layout of the mma instructions with
/// which sm_80 and later GPUs execute a wmma: m16n16k16 as two m16n8k16. So kernels that read a fragment's elements get
/// the same values.
namespace tilescope::ptx {

enum class WmmaMatrix : std::uint8_t { a, b, accumulator };

struct WmmaShape {
  int m = 0, n = 0, k = 0;
};
inline constexpr std::array<WmmaShape, 4> wmma_shapes{{{16, 16, 16}, {32, 8, 16}, {8, 32, 16}, {16, 16, 8}}};
inline constexpr std::array<std::string_view, 4> wmma_shape_names{"m16n16k16", "m32n8k16", "m8n32k16",
                                                                  "m16n16k8"};

/// A part of the matrix with 8 rows, in the lanes of one register as tiles-inl.hpp describes it (two registers for an
/// f32 accumulator). Rows and columns count in A, in the accumulator, or in the transpose of B.
struct WmmaTile {
  int row = 0, column = 0;
};

/// The tiles of a fragment in the order of its registers, for mma too: `count` of them are used.
struct FragmentTiles {
  std::array<WmmaTile, 8> at{};
  int count = 0;
};
/// Tiles of 8 x tile_columns that make up a matrix of rows x columns (for B, of its transpose).
FragmentTiles fragment_tiles(WmmaMatrix matrix, int rows, int columns, int tile_columns);

struct WmmaFragment {
  WmmaMatrix matrix = WmmaMatrix::a;
  /// f16, bf16, tf32, f32
  Type type = Type::f16;
  /// Into wmma_shapes.
  std::uint8_t shape = 0;

  /// Whether the ISA has this combination, among the types that are executed here.
  bool exists() const;
  FragmentTiles tiles() const;
  /// Columns of a tile.
  int tile_columns() const { return type == Type::tf32 ? 4 : 8; }
  int registers_of_tile() const { return type == Type::f32 ? 2 : 1; }
  /// The number of the instruction's registers. A and B of f16 always have 8: for a smaller matrix the tiles are
  /// repeated.
  int registers() const;
  /// Size of A, of the accumulator, or of the transpose of B.
  int rows() const;
  int columns() const;
};

/// The types of a wmma.mma.
struct WmmaProduct {
  Type d = Type::f32, factor = Type::f16, c = Type::f32;
};
/// From the types that the instruction names: of D and C, the factors being f16, else of D, A, B and C. None for a
/// combination that is not executed here.
std::optional<WmmaProduct> wmma_product(std::uint8_t shape, std::span<const Type> types);

/// wmma.load and wmma.store. b is the address, c the stride in elements (no_slot: dense), the operands are the
/// fragment's registers.
struct WmmaAccess {
  WmmaFragment fragment;
  Space space = Space::generic;
  /// [B] of the address register
  int base_bytes = 8;
  /// The elements of a tile's row follow each other in memory.
  bool rows_are_contiguous = true;

  void pack(Instruction& instruction) const;
  static WmmaAccess unpack(const Instruction& instruction);
};

void wmma_load(Warp& warp, const Instruction& i);
void wmma_store(Warp& warp, const Instruction& i);

}  // namespace tilescope::ptx
