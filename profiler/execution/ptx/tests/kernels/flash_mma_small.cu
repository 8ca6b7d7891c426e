// Attention on the tensor cores in the manner of FlashAttention-2, small and without ragged edges: four warps of 16 query
// rows, tiles of 64 keys, mma.m16n8k16, Q in registers, K and V by cp.async into two buffers in turn. SMEM_LAYOUT is the
// place of rows in shared memory. Sq and Sk are multiples of 64.
//
// Source of the scheme: Dao 2023, "FlashAttention-2", algorithm 1 and section 3.3 (queries split over the warps).

#include "device/attention_problem.cuh"
#include "device/element.cuh"
#include "device/shared_tile.cuh"

using Element = DTYPE;

constexpr int warps = 4, threads = warps * 32;
constexpr int rows_per_warp = 16, block_m = warps * rows_per_warp, block_n = 64;
constexpr int score_tiles = block_n / 8;     // of 16 x 8 scores
constexpr int output_tiles = HEAD_DIM / 8;   // of 16 x 8 outputs
constexpr float log2_e = 1.4426950408889634f;

using Tile = SharedTile<SMEM_LAYOUT, HEAD_DIM, 8>;
constexpr int tile_elements = Tile::row_stride * block_n;

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ inline void copy_tile(Element* tile, const Element* source, long long row_stride) {
  constexpr int packets_per_row = HEAD_DIM / 8;
#pragma unroll
  for (int i = threadIdx.x; i < block_n * packets_per_row; i += threads) {
    const int row = i / packets_per_row, column = i % packets_per_row * 8;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(tile + Tile::index(row, column))),
                 "l"(source + row * row_stride + column)
                 : "memory");
  }
}

__device__ inline void load_matrices(unsigned (&fragment)[4], const Element* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared_address(row))
               : "memory");
}

__device__ inline void load_transposed(unsigned (&fragment)[4], const Element* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(shared_address(row))
               : "memory");
}

#define MMA(TYPE)                                                                                                 \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                                             \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                             \
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                                           \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

__device__ inline void multiply(fp16, float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) { MMA("f16"); }
__device__ inline void multiply(bf16, float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) { MMA("bf16"); }

__device__ inline unsigned pack(fp16, float low, float high) {
  unsigned pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}
__device__ inline unsigned pack(bf16, float low, float high) {
  unsigned pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

// A row of scores lies in the four lanes of a quad.
__device__ inline float quad_max(float x) {
  x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ inline float quad_sum(float x) {
  x += __shfl_xor_sync(0xffffffffu, x, 1);
  return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

__device__ inline void scores(float (&score)[score_tiles][4], const unsigned (&q)[HEAD_DIM / 16][4], const Element* k) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < score_tiles; ++n) score[n][0] = score[n][1] = score[n][2] = score[n][3] = 0;
#pragma unroll
  for (int d = 0; d < HEAD_DIM / 16; ++d) {
#pragma unroll
    for (int n = 0; n < score_tiles; n += 2) {
      unsigned b[4];
      load_matrices(b, k + Tile::index(n * 8 + lane % 8 + lane / 16 * 8, d * 16 + lane / 8 % 2 * 8));
      multiply(Element{}, score[n], q[d], b[0], b[1]);
      multiply(Element{}, score[n + 1], q[d], b[2], b[3]);
    }
  }
}

__device__ inline void accumulate(float (&output)[output_tiles][4], const float (&weight)[score_tiles][4],
                                  const Element* v) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int n = 0; n < block_n / 16; ++n) {
    const float(&low)[4] = weight[2 * n];
    const float(&high)[4] = weight[2 * n + 1];
    const unsigned p[4] = {pack(Element{}, low[0], low[1]), pack(Element{}, low[2], low[3]),
                           pack(Element{}, high[0], high[1]), pack(Element{}, high[2], high[3])};
#pragma unroll
    for (int d = 0; d < output_tiles; d += 2) {
      unsigned b[4];
      load_transposed(b, v + Tile::index(n * 16 + lane % 8 + lane / 8 % 2 * 8, d * 8 + lane / 16 * 8));
      multiply(Element{}, output[d], p, b[0], b[1]);
      multiply(Element{}, output[d + 1], p, b[2], b[3]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(threads) flash_mma_small(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Element* const q_tile = reinterpret_cast<Element*>(shared);
  Element* const k_tiles = q_tile + tile_elements;
  Element* const v_tiles = k_tiles + 2 * tile_elements;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int head = blockIdx.y, batch = blockIdx.z;
  const int first_query = blockIdx.x * block_m;
  const int key_head = head / (problem.query_heads / problem.key_heads);
  const Element* q = static_cast<const Element*>(problem.q) + batch * problem.q_strides.batch +
                     head * problem.q_strides.head + first_query * problem.q_strides.row;
  const Element* k = static_cast<const Element*>(problem.k) + batch * problem.k_strides.batch +
                     key_head * problem.k_strides.head;
  const Element* v = static_cast<const Element*>(problem.v) + batch * problem.v_strides.batch +
                     key_head * problem.v_strides.head;
  const int keys = CAUSAL ? min(problem.keys, first_query + block_m) : problem.keys;

  copy_tile(q_tile, q, problem.q_strides.row);
  copy_tile(k_tiles, k, problem.k_strides.row);
  copy_tile(v_tiles, v, problem.v_strides.row);
  asm volatile("cp.async.commit_group;" ::: "memory");

  unsigned q_fragments[HEAD_DIM / 16][4];
  float output[output_tiles][4] = {};
  float row_max[2] = {minus_infinity(), minus_infinity()};
  float row_sum[2] = {};
  const float scale = problem.softmax_scale * log2_e;

  for (int tile = 0; tile * block_n < keys; ++tile) {
    const int buffer = tile % 2;
    if ((tile + 1) * block_n < keys) {
      const long long next = static_cast<long long>(tile + 1) * block_n;
      copy_tile(k_tiles + (1 - buffer) * tile_elements, k + next * problem.k_strides.row, problem.k_strides.row);
      copy_tile(v_tiles + (1 - buffer) * tile_elements, v + next * problem.v_strides.row, problem.v_strides.row);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");  // all but the newest group: this tile has come
    __syncthreads();                                      // for all threads
    if (tile == 0) {
#pragma unroll
      for (int d = 0; d < HEAD_DIM / 16; ++d) {
        load_matrices(q_fragments[d],
                      q_tile + Tile::index(warp * rows_per_warp + lane % 16, d * 16 + lane / 16 * 8));
      }
    }
    float score[score_tiles][4];
    scores(score, q_fragments, k_tiles + buffer * tile_elements);
    const int query = first_query + warp * rows_per_warp + lane / 4;
#pragma unroll
    for (int n = 0; n < score_tiles; ++n) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int key = tile * block_n + n * 8 + lane % 4 * 2 + i % 2;
        score[n][i] = CAUSAL && key > query + i / 2 * 8 ? minus_infinity() : score[n][i] * scale;
      }
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float tile_max = row_max[half];
#pragma unroll
      for (int n = 0; n < score_tiles; ++n) tile_max = fmaxf(tile_max, fmaxf(score[n][2 * half], score[n][2 * half + 1]));
      tile_max = quad_max(tile_max);
      const float rescale = exp2f(row_max[half] - tile_max);
      row_max[half] = tile_max;
      float tile_sum = 0;
#pragma unroll
      for (int n = 0; n < score_tiles; ++n) {
#pragma unroll
        for (int i = 2 * half; i < 2 * half + 2; ++i) {
          score[n][i] = exp2f(score[n][i] - tile_max);
          tile_sum += score[n][i];
        }
      }
      row_sum[half] = row_sum[half] * rescale + tile_sum;
#pragma unroll
      for (int d = 0; d < output_tiles; ++d) {
        output[d][2 * half] *= rescale;
        output[d][2 * half + 1] *= rescale;
      }
    }
    accumulate(output, score, v_tiles + buffer * tile_elements);
    __syncthreads();  // all warps have read the buffer before the next copies replace it
  }

  Element* o = static_cast<Element*>(problem.o) + batch * problem.o_strides.batch + head * problem.o_strides.head;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float inverse = 1 / quad_sum(row_sum[half]);
    const int query = first_query + warp * rows_per_warp + lane / 4 + half * 8;
#pragma unroll
    for (int d = 0; d < output_tiles; ++d) {
      *reinterpret_cast<unsigned*>(o + query * problem.o_strides.row + d * 8 + lane % 4 * 2) =
          pack(Element{}, output[d][2 * half] * inverse, output[d][2 * half + 1] * inverse);
    }
  }
}
