// C = A * B through nvcuda::wmma, one warp a block, a 16 x 16 tile of C a warp, the tiles of A and B in shared memory.
// FORMAT 0 is half, 1 bfloat16, 2 tf32 (whose elements are floats and whose steps in K are 8). PADDING is in elements.
// A, B and C are [SIZE, SIZE], row-major, C in float.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

#if FORMAT == 0
using Storage = __half;
using Precision = __half;
constexpr int tile_k = 16;
#elif FORMAT == 1
using Storage = __nv_bfloat16;
using Precision = __nv_bfloat16;
constexpr int tile_k = 16;
#else
using Storage = float;
using Precision = wmma::precision::tf32;
constexpr int tile_k = 8;
#endif

constexpr int tile = 16;
constexpr int a_stride = tile_k + PADDING, b_stride = tile + PADDING;  // [elements]

extern "C" __global__ void __launch_bounds__(32) wmma_gemm(const Storage* a, const Storage* b, float* c) {
  __shared__ __align__(128) Storage a_tile[tile * a_stride];
  __shared__ __align__(128) Storage b_tile[tile_k * b_stride];
  const int lane = threadIdx.x;
  const int row = blockIdx.y * tile, column = blockIdx.x * tile;

  wmma::fragment<wmma::accumulator, tile, tile, tile_k, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < SIZE; k += tile_k) {
    for (int i = lane; i < tile * tile_k; i += 32) {
      a_tile[i / tile_k * a_stride + i % tile_k] = a[(row + i / tile_k) * SIZE + k + i % tile_k];
      b_tile[i / tile * b_stride + i % tile] = b[(k + i / tile) * SIZE + column + i % tile];
    }
    __syncwarp();  // the tiles are written
    wmma::fragment<wmma::matrix_a, tile, tile, tile_k, Precision, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, tile, tile, tile_k, Precision, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, a_tile, a_stride);
    wmma::load_matrix_sync(fb, b_tile, b_stride);
#if FORMAT == 2
    for (int i = 0; i < fa.num_elements; ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    for (int i = 0; i < fb.num_elements; ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
#endif
    wmma::mma_sync(sum, fa, fb, sum);
    __syncwarp();  // the tiles are read
  }
  wmma::store_matrix_sync(c + row * SIZE + column, sum, SIZE, wmma::mem_row_major);
}
