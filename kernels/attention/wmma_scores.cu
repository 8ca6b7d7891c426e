// Rung 4: the scores on the tensor cores.
//
// Against the rung below (flash_scalar, all products scalar): S = Q * K^T is computed by wmma, 16 x 16 scores of a warp at
// a time, and takes the way through shared memory, because a wmma fragment may not be looked into: the softmax reads rows,
// and which lane holds which element of a row is left open. Half of the multiplications leave the plain cores, and with
// them the reads of K, one element for one FMA, that bound flash_scalar. It should give just under half of the time at
// most: the product with V is still scalar, and is now nearly all that is left. wmma_full moves that one too.
// wmma reads a matrix from rows of one stride, so that a swizzle cannot be expressed: padding is its cure for conflicts.

/* tilescope-kernel
{
  "name": "wmma_scores",
  "role": "rung",
  "rung": 4,
  "title": "Scores on the tensor cores through wmma, the rest scalar",
  "entry": "wmma_scores",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "BLOCK_M", "values": [16, 32, 64, 128], "default": 32,
     "help": "Query rows per block, in steps of the 16 rows of a wmma product."},
    {"name": "BLOCK_N", "values": [16, 32, 64, 128], "default": 64,
     "help": "Keys per tile, in steps of the 16 columns of a wmma product."},
    {"name": "NUM_WARPS", "values": [1, 2, 4, 8, 16], "default": 8,
     "help": "Warps per block. They share the BLOCK_M * BLOCK_N / 256 products of a tile, then its rows."},
    {"name": "SMEM_LAYOUT", "values": ["row_major", "padded"], "default": "padded",
     "help": "Whether the rows of Q, K, V and of the scores are padded against bank conflicts."}
  ],
  "let": {
    "PAD": "SMEM_LAYOUT == padded ? 8 : 0",
    "STRIDE": "D + PAD",
    "SCORE_STRIDE": "BLOCK_N + PAD"
  },
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "wmma_scores takes D = 32, 64, 96, 128 or 256: a lane accumulates D / 32 columns of the output"},
    {"expression": "BLOCK_M % NUM_WARPS == 0",
     "text": "BLOCK_M must be a multiple of NUM_WARPS: every warp of a block takes the same number of query rows"},
    {"expression": "SHARED_BYTES <= MAX_SHARED_BYTES",
     "text": "the tiles do not fit: Q, K, V, the float scores and the float output need more shared memory than a block has on this device"}
  ],
  "grid": ["ceil_div(Sq, BLOCK_M)", "Hq", "B"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "2*(BLOCK_M + 2*BLOCK_N)*STRIDE + 4*BLOCK_M*SCORE_STRIDE + 4*D*BLOCK_M + 8*BLOCK_M",
  "tiles": [
    {"name": "Q", "bytes": "2*BLOCK_M*STRIDE", "rows": "BLOCK_M", "columns": "D", "pitch": "STRIDE"},
    {"name": "K", "bytes": "2*BLOCK_N*STRIDE", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE"},
    {"name": "V", "bytes": "2*BLOCK_N*STRIDE", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE"},
    {"name": "S", "bytes": "4*BLOCK_M*SCORE_STRIDE", "rows": "BLOCK_M", "columns": "BLOCK_N", "pitch": "SCORE_STRIDE",
     "element_bytes": "4"},
    {"name": "O", "bytes": "4*D*BLOCK_M", "rows": "BLOCK_M", "columns": "D", "element_bytes": "4"},
    {"name": "row_max", "bytes": "4*BLOCK_M", "rows": "BLOCK_M", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "4*BLOCK_M", "rows": "BLOCK_M", "columns": "1", "element_bytes": "4"}
  ],
  "phases": [
    {"name": "load", "functions": ["load_rows"]}, {"name": "scores", "functions": ["scores", "read_scores"]},
    {"name": "softmax", "functions": ["softmax", "update_row"]}, {"name": "accumulate", "functions": ["accumulate"]},
    {"name": "store", "functions": ["store_row"]}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "device/head_view.cuh"
#include "device/load_rows.cuh"
#include "device/probe.cuh"
#include "device/row_softmax.cuh"
#include "device/shared_tile.cuh"
#include "device/wmma.cuh"

using Element = DTYPE;

constexpr int warp_size = 32;
constexpr int threads = NUM_WARPS * warp_size;
constexpr int rows_per_warp = BLOCK_M / NUM_WARPS;
constexpr int scores_per_lane = (BLOCK_N + warp_size - 1) / warp_size;
constexpr int columns_per_lane = HEAD_DIM / warp_size;
// A lane owns neighbouring columns of V as far as a power of two goes, and reads them at once.
constexpr int neighbours = columns_per_lane & -columns_per_lane;
constexpr int load_width = 8;
constexpr float log2_e = 1.4426950408889634f;

using Tile = SharedTile<SMEM_LAYOUT, HEAD_DIM, load_width>;
// The 8 bytes that a lane stores of a fragment lie in 4 rows for every half of a warp: rows 32 bytes apart do not meet.
constexpr int score_stride = BLOCK_N + (SMEM_LAYOUT == padded ? 8 : 0);

// The block's shared memory, in the order in which the declaration above counts its bytes.
struct Tiles {
  Element* q;      // [BLOCK_M, D]
  Element* k;      // [BLOCK_N, D]
  Element* v;      // [BLOCK_N, D]
  float* scores;   // [BLOCK_M, BLOCK_N] neither scaled nor masked
  float* output;   // [BLOCK_M, D] not yet divided by the row's sum
  float* row_max;  // [BLOCK_M] of the scaled scores, in units of log2
  float* row_sum;  // [BLOCK_M]
};

__device__ inline Tiles carve(char* shared) {
  Tiles tiles;
  tiles.q = reinterpret_cast<Element*>(shared);
  shared += Tile::bytes(BLOCK_M);
  tiles.k = reinterpret_cast<Element*>(shared);
  shared += Tile::bytes(BLOCK_N);
  tiles.v = reinterpret_cast<Element*>(shared);
  shared += Tile::bytes(BLOCK_N);
  tiles.scores = reinterpret_cast<float*>(shared);
  tiles.output = tiles.scores + BLOCK_M * score_stride;
  tiles.row_max = tiles.output + BLOCK_M * HEAD_DIM;
  tiles.row_sum = tiles.row_max + BLOCK_M;
  return tiles;
}

// S = Q * K^T, 16 x 16 scores at a time. K lies with one key in a row, which is K^T in column order.
__device__ inline void scores(const Tiles& tiles, int warp) {
  constexpr int tiles_n = BLOCK_N / wmma_size;
  for (int i = warp; i < BLOCK_M / wmma_size * tiles_n; i += NUM_WARPS) {
    const int row = i / tiles_n * wmma_size, key = i % tiles_n * wmma_size;
    Accumulator sum{};
#pragma unroll
    for (int column = 0; column < HEAD_DIM; column += wmma_size) {
      LeftFactor<Element> q;
      RightFactor<Element, column_order> k;
      load(q, tiles.q + Tile::index(row, column), Tile::row_stride);
      load(k, tiles.k + Tile::index(key, column), Tile::row_stride);
      multiply_add(sum, q, k);
    }
    store(tiles.scores + row * score_stride + key, sum, score_stride);
  }
}

// Lane l takes the scores of keys l, l + 32, ... of a row, scaled to units of log2; masked ones are -inf.
__device__ inline void read_scores(const Tiles& tiles, int row, int lane, int visible, float scale,
                                   float (&score)[scores_per_lane]) {
#pragma unroll
  for (int i = 0; i < scores_per_lane; ++i) {
    const int key = lane + i * warp_size;
    const bool is_visible = key < min(visible, BLOCK_N);
    score[i] = is_visible ? tiles.scores[row * score_stride + key] * scale : minus_infinity();
  }
}

// The c-th column of a lane.
__device__ inline int column_of(int lane, int c) {
  return c / neighbours * warp_size * neighbours + lane * neighbours + c % neighbours;
}

// output[row] = output[row] * rescale + weights * V; a lane owns D / 32 columns.
__device__ inline void accumulate(const Tiles& tiles, int row, int lane, float rescale,
                                  const float (&weight)[scores_per_lane]) {
  float* output = tiles.output + row * HEAD_DIM;
  float sum[columns_per_lane];
#pragma unroll
  for (int c = 0; c < columns_per_lane; ++c) sum[c] = output[column_of(lane, c)] * rescale;
#pragma unroll
  for (int i = 0; i < scores_per_lane; ++i) {
    constexpr int keys_in_step = BLOCK_N < warp_size ? BLOCK_N : warp_size;
#pragma unroll 8
    for (int j = 0; j < keys_in_step; ++j) {
      const float w = __shfl_sync(0xffffffffu, weight[i], j);
#pragma unroll
      for (int c = 0; c < columns_per_lane; c += neighbours) {
        float v[neighbours];
        const Element* from = tiles.v + Tile::index(i * warp_size + j, column_of(lane, c));
        unpack<Element>(load_packet<neighbours>(from), v);
#pragma unroll
        for (int e = 0; e < neighbours; ++e) sum[c + e] = fmaf(w, v[e], sum[c + e]);
      }
    }
  }
#pragma unroll
  for (int c = 0; c < columns_per_lane; ++c) {
    output[column_of(lane, c)] = sum[c];
    probe("o", blockIdx.x * BLOCK_M + row, column_of(lane, c), sum[c]);
  }
}

// Divides by the row's sum and writes the row. A row that saw no key is zeros, its log-sum-exp -inf.
__device__ inline void store_row(const HeadView<Element>& head, long long row_stride, const Tiles& tiles, int row,
                                 int query, int lane) {
  const float sum = tiles.row_sum[row];
  const float inverse = sum > 0 ? 1 / sum : 0.0f;
  for (int column = lane; column < HEAD_DIM; column += warp_size) {
    from_float(tiles.output[row * HEAD_DIM + column] * inverse, head.o[query * row_stride + column]);
  }
  if (head.lse != nullptr && lane == 0) head.lse[query] = (tiles.row_max[row] + log2f(sum)) / log2_e;
}

// One block per SM is all that is asked for: without the 1, ptxas spills registers to let a second one reside.
extern "C" __global__ void __launch_bounds__(threads, 1) wmma_scores(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  const Tiles tiles = carve(shared);
  const HeadView<Element> head = head_view<Element>(problem, blockIdx.z, blockIdx.y);
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const int first_query = blockIdx.x * BLOCK_M;
  // The block's last query sees the most keys.
  const int keys = visible_keys(problem, min(first_query + BLOCK_M, problem.queries) - 1);
  const float scale = problem.softmax_scale * log2_e;

  load_rows<Tile, load_width, threads>(tiles.q, head.q + first_query * problem.q_strides.row,
                                       problem.q_strides.row, BLOCK_M, problem.queries - first_query);
  for (int i = threadIdx.x; i < BLOCK_M * HEAD_DIM; i += threads) tiles.output[i] = 0;
  for (int i = threadIdx.x; i < BLOCK_M; i += threads) {
    tiles.row_max[i] = minus_infinity();
    tiles.row_sum[i] = 0;
  }

  for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {
    probe("tile", first_key, min(BLOCK_N, problem.keys - first_key));
    load_rows<Tile, load_width, threads>(tiles.k, head.k + first_key * problem.k_strides.row,
                                         problem.k_strides.row, BLOCK_N, problem.keys - first_key);
    load_rows<Tile, load_width, threads>(tiles.v, head.v + first_key * problem.v_strides.row,
                                         problem.v_strides.row, BLOCK_N, problem.keys - first_key);
    __syncthreads();  // the tiles (and, the first time, Q and the zeroed output) are written
    scores(tiles, warp);
    __syncthreads();  // the scores are written: a row's come from several warps
    for (int r = 0; r < rows_per_warp; ++r) {
      const int row = warp * rows_per_warp + r;
      float score[scores_per_lane];
      read_scores(tiles, row, lane, visible_keys(problem, first_query + row) - first_key, scale, score);
#pragma unroll
      for (int i = 0; i < scores_per_lane; ++i) {
        if (lane + i * warp_size < BLOCK_N) {
          probe("score_log2", first_query + row, first_key + lane + i * warp_size, score[i]);
        }
      }
      const float rescale = update_row(score, tiles.row_max + row, tiles.row_sum + row, lane);
      if (lane == 0) {
        probe("m_log2", first_query + row, tiles.row_max[row]);
        probe("l", first_query + row, tiles.row_sum[row]);
        probe("rescale", first_query + row, rescale);
      }
      accumulate(tiles, row, lane, rescale, score);
    }
    __syncthreads();  // all warps have read the tiles and the scores before the next ones replace them
  }

  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  for (int r = 0; r < rows_per_warp; ++r) {
    const int row = warp * rows_per_warp + r, query = first_query + row;
    if (query < problem.queries) store_row(head, problem.o_strides.row, tiles, row, query, lane);
  }
}
