#pragma once

#include "device/shared_tile.cuh"

// ldmatrix: a warp loads four 8 x 8 matrices of 16-bit elements from shared memory into the fragments of mma.sync. Lane
// l names the row of 8 elements (16 bytes) that is row l % 8 of matrix l / 8; each matrix is a pass over all 32 banks
// when its 8 rows lie in 8 different groups of 4 banks.

__device__ inline void load_matrices(unsigned (&fragment)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(address)
               : "memory");
}

__device__ inline void load_matrices_transposed(unsigned (&fragment)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(address)
               : "memory");
}

// The order in which one load takes the four matrices of a 16 x 16 square, so that the words of an operand of
// mma.m16n8k16 come to lie in neighbouring registers, which it needs. Down: rows 0 to 7, rows 8 to 15, then both 8
// columns on. That makes a square of Q one A, and of a transposed square of V words 0 and 1 the B of its first 8
// columns. Across: columns first, which makes words 0 and 1 of a square of K the B of its first 8 keys.
enum class MatrixOrder { down, across };

// The addresses that one lane gives for the squares of a tile. A square 16 rows further has the same permutation, so it
// is an immediate offset. One further to the right flips bits of the chunk, which no offset does: there is one register
// for each square within the part of a row that is permuted.
template <class Tile, MatrixOrder ORDER>
struct SquareAddresses {
  static constexpr int square_bytes = 16 * Tile::element_bytes;
  static constexpr int variants = Tile::is_permuted ? (Tile::swizzle_mask + 1) / 2 : 1;

  unsigned address[variants];

  // `tile` is where the tile lies, a multiple of 128 bytes; `first_row` of the first square is a multiple of 8.
  __device__ SquareAddresses(unsigned tile, int first_row, int lane) {
    const int second = lane / 8 % 2 * 8, third = lane / 16 * 8;
    const int row = first_row + lane % 8 + (ORDER == MatrixOrder::down ? second : third);
    const int column = ORDER == MatrixOrder::down ? third : second;
    const unsigned first = tile + Tile::index(row, column) * Tile::element_bytes;
#pragma unroll
    for (int i = 0; i < variants; ++i) address[i] = first ^ (i * square_bytes);
  }

  __device__ unsigned at(int square_row, int square_column) const {
    return address[square_column % variants] + square_row * 16 * Tile::row_stride * Tile::element_bytes +
           square_column / variants * variants * square_bytes;
  }
};
