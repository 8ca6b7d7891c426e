#pragma once

#include "device/async_copy.cuh"
#include "device/shared_tile.cuh"

// How a block of a kernel on mma.sync divides its tiles: over shared memory and over its warps. `Choice` holds what
// the kernel was compiled for: its parameters, D, the element and whether there is a causal mask.
//
// The rows of a tile of scores go to the warps first, 16 or more to each, so that no warp needs the maximum of another.
// Where there are more warps than slices of 16 rows, they share the rows and split the keys of every tile: each keeps
// its own maximum, sum and output, which are merged at the end. That is for grids too small to fill the GPU.
template <class Choice>
struct MmaTiling : Choice {
  using Choice::block_m, Choice::block_n, Choice::warps, Choice::head_dim, Choice::stages;

  static constexpr int threads = warps * 32;
  static constexpr int slices = block_m / 16;
  static constexpr int row_warps = warps < slices ? warps : slices;
  static constexpr int key_warps = warps / row_warps;
  static constexpr int warp_rows = block_m / row_warps;
  static constexpr int warp_keys = block_n / key_warps;

  // Fragments of a warp: 16 rows of A, 8 columns of C, 16 deep.
  static constexpr int row_fragments = warp_rows / 16;
  static constexpr int score_fragments = warp_keys / 8;
  static constexpr int output_fragments = head_dim / 8;
  static constexpr int key_steps = warp_keys / 16;
  static constexpr int depth_steps = head_dim / 16;

  // Shared memory: `stages` pairs of a tile of K and one of V, and Q. Q that is kept in registers is brought into the
  // first tile that the prologue leaves free, and has been read when that one is filled.
  using Tile = SharedTile<Choice::layout, head_dim, 8>;
  static constexpr int tile_bytes = Tile::bytes(block_n);
  static constexpr int stage_bytes = 2 * tile_bytes;
  static constexpr int ring_bytes = stages * stage_bytes;
  static constexpr int query_offset =
      !Choice::query_in_registers ? ring_bytes : stages == 1 ? tile_bytes : ring_bytes - stage_bytes;
};

struct WarpPlace {
  int lane;
  int row_warp;  // which slice of the rows
  int key_warp;  // which part of the keys of each tile
};

template <class T>
__device__ inline WarpPlace warp_place() {
  const int warp = threadIdx.x / 32;
  if constexpr (T::key_warps == 1) return {static_cast<int>(threadIdx.x % 32), warp, 0};
  return {static_cast<int>(threadIdx.x % 32), warp % T::row_warps, warp / T::row_warps};
}

// Where a thread reads and writes when its block copies rows of D elements to a tile. 4 or 8 lanes take one row side by
// side, as much of it as the swizzle permutes, and go on to the right: every quarter of a warp fills 128 bytes in a row
// of shared memory, so its stores cannot conflict, and what a pass adds to an address does not depend on the thread.
template <class T>
struct TileCopy {
  using Tile = typename T::Tile;
  static constexpr int lanes_per_row = Tile::swizzle_mask + 1;
  static constexpr int columns_per_step = lanes_per_row * Tile::chunk;
  static constexpr int rows_per_pass = T::threads / lanes_per_row;
  static_assert(rows_per_pass % 8 == 0, "a pass must keep the permutation of a thread's row");

  int row;
  int column;
  unsigned offset;  // [bytes] from the start of the tile

  __device__ TileCopy()
      : row(threadIdx.x / lanes_per_row), column(threadIdx.x % lanes_per_row * Tile::chunk),
        offset(Tile::index(row, column) * Tile::element_bytes) {}

  // `source` is this thread's row of the first pass. Rows from `valid_rows` on become zeros when CHECKED.
  template <int ROWS, bool CHECKED, class Element>
  __device__ void copy(unsigned tile, const Element* source, long long row_stride, int valid_rows) const {
#pragma unroll
    for (int first = 0; first < ROWS; first += rows_per_pass) {
      if (first + rows_per_pass > ROWS && first + row >= ROWS) break;
#pragma unroll
      for (int step = 0; step < T::head_dim; step += columns_per_step) {
        const unsigned to = tile + offset + (first * Tile::row_stride + step) * Tile::element_bytes;
        const Element* from = source + first * row_stride + column + step;
        if constexpr (CHECKED) {
          copy_async_16_or_zeros(to, from, first + row < valid_rows);
        } else {
          copy_async_16(to, from);
        }
      }
    }
  }
};
