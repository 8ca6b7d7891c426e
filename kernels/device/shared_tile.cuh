#pragma once

// How the rows of a tile of 16-bit elements lie in shared memory. Shared memory has 32 banks of 4 bytes; 128 bytes are
// one turn through all of them.

enum SmemLayout {
  row_major,    // rows one after the other: lanes that read one column of 32 rows fall on few banks
  padded,       // a few unused bytes behind each row shift the next row by one access
  xor_swizzle,  // no unused bytes: the chunks of a row are permuted, by another XOR in each row
};

// ACCESS is the number of elements that one access moves (1, 2, 4 or 8): neighbouring rows must be shifted by just that
// much for a column of accesses to touch all banks, and a swizzle must not cut an access in two.
template <SmemLayout LAYOUT, int COLUMNS, int ACCESS>
struct SharedTile {
  static constexpr int bank_bytes = 4;
  static constexpr int turn_bytes = 128;
  static constexpr int element_bytes = 2;
  static constexpr int row_bytes = COLUMNS * element_bytes;
  // A 2-byte access moves no less than a whole bank word.
  static constexpr int chunk = ACCESS * element_bytes < bank_bytes ? bank_bytes / element_bytes : ACCESS;
  static constexpr int chunk_bytes = chunk * element_bytes;
  static constexpr bool is_permuted = LAYOUT == xor_swizzle;
  static constexpr int row_stride = COLUMNS + (LAYOUT == padded ? chunk : 0);  // [elements]

  // The largest power of two that divides both: the part of a turn after which the banks of the next row start over.
  static constexpr int part_bytes = (row_bytes | turn_bytes) & -(row_bytes | turn_bytes);
  // Rows of part of a turn (64 bytes, or 192) share turns: they need no shift against each other, only against the next
  // turn. A permutation stays inside such a part of a row.
  static constexpr int rows_per_turn = turn_bytes / part_bytes;
  static constexpr int swizzle_mask = part_bytes / chunk_bytes - 1;

  __device__ static constexpr int bytes(int rows) { return rows * row_stride * element_bytes; }

  // The place of an element, in elements from the start of the tile.
  __device__ static int index(int row, int column) {
    if constexpr (is_permuted) {
      const int shift = (row / rows_per_turn) & swizzle_mask;
      return row * row_stride + (((column / chunk) ^ shift) * chunk) + column % chunk;
    } else {
      return row * row_stride + column;
    }
  }
};
