#pragma once

#include "device/element.cuh"

// The THREADS threads of a block copy `rows` rows of HEAD_DIM elements into a tile of shared memory, WIDTH elements at a
// time. Rows from `valid` on become zeros, because 0 * NaN from stale memory would be NaN.
template <class Tile, int WIDTH, int THREADS, class Element>
__device__ inline void load_rows(Element* tile, const Element* source, long long row_stride, int rows, int valid) {
  constexpr int packets_per_row = HEAD_DIM / WIDTH;
  for (int i = threadIdx.x; i < rows * packets_per_row; i += THREADS) {
    const int row = i / packets_per_row;
    const int column = i % packets_per_row * WIDTH;
    Packet<WIDTH> packet{};
    if (row < valid) packet = load_packet<WIDTH>(source + row * row_stride + column);
    store_packet(tile + Tile::index(row, column), packet);
  }
}
