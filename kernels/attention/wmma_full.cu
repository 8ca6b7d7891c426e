// Rung 5: both products on the tensor cores, everything between them through shared memory.
//
// Against the rung below (wmma_scores, the product with V scalar): the weights are rounded to 16 bits and written to a tile
// P, and O = O * rescale + P * V is a wmma product too. The plain cores are left with the softmax. What holds it back now is
// traffic inside the block: a wmma fragment may not be looked into, so that the scores, the weights and the whole float
// output go through shared memory with every tile of keys, between barriers, and the running output is loaded and stored
// again each time, because its rows can be rescaled only where they lie as rows. mma_flash knows where its elements are and
// keeps all three in registers.

/* tilescope-kernel
{
  "name": "wmma_full",
  "role": "rung",
  "rung": 5,
  "title": "Both products on the tensor cores, through shared memory",
  "entry": "wmma_full",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "BLOCK_M", "values": [16, 32, 64, 128], "default": 32,
     "help": "Query rows per block, in steps of the 16 rows of a wmma product."},
    {"name": "BLOCK_N", "values": [16, 32, 64, 128], "default": 64,
     "help": "Keys per tile, in steps of the 16 columns of a wmma product."},
    {"name": "NUM_WARPS", "values": [1, 2, 4, 8, 16], "default": 8,
     "help": "Warps per block. They share the 16 x 16 tiles of the scores, then the rows, then the 16 x 16 tiles of the output."},
    {"name": "SMEM_LAYOUT", "values": ["row_major", "padded"], "default": "padded",
     "help": "Whether the rows of all tiles are padded against bank conflicts."}
  ],
  "let": {
    "PAD": "SMEM_LAYOUT == padded ? 8 : 0",
    "STRIDE": "D + PAD",
    "SCORE_STRIDE": "BLOCK_N + PAD"
  },
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "wmma_full takes D = 32, 64, 96, 128 or 256: it is a whole number of the 16 columns of a wmma product"},
    {"expression": "BLOCK_M % NUM_WARPS == 0",
     "text": "BLOCK_M must be a multiple of NUM_WARPS: every warp of a block takes the same number of query rows"},
    {"expression": "SHARED_BYTES <= MAX_SHARED_BYTES",
     "text": "the tiles do not fit: Q, K, V, the float scores, the weights and the float output need more shared memory than a block has on this device"}
  ],
  "grid": ["ceil_div(Sq, BLOCK_M)", "Hq", "B"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "2*(BLOCK_M + 2*BLOCK_N)*STRIDE + 6*BLOCK_M*SCORE_STRIDE + 4*BLOCK_M*STRIDE + 8*BLOCK_M",
  "tiles": [
    {"name": "Q", "bytes": "2*BLOCK_M*STRIDE", "rows": "BLOCK_M", "columns": "D", "pitch": "STRIDE"},
    {"name": "K", "bytes": "2*BLOCK_N*STRIDE", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE"},
    {"name": "V", "bytes": "2*BLOCK_N*STRIDE", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE"},
    {"name": "S", "bytes": "4*BLOCK_M*SCORE_STRIDE", "rows": "BLOCK_M", "columns": "BLOCK_N", "pitch": "SCORE_STRIDE",
     "element_bytes": "4"},
    {"name": "P", "bytes": "2*BLOCK_M*SCORE_STRIDE", "rows": "BLOCK_M", "columns": "BLOCK_N", "pitch": "SCORE_STRIDE"},
    {"name": "O", "bytes": "4*BLOCK_M*STRIDE", "rows": "BLOCK_M", "columns": "D", "pitch": "STRIDE", "element_bytes": "4"},
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
constexpr int load_width = 8;
constexpr float log2_e = 1.4426950408889634f;

using Tile = SharedTile<SMEM_LAYOUT, HEAD_DIM, load_width>;
using WeightTile = SharedTile<SMEM_LAYOUT, BLOCK_N, load_width>;
// The 8 bytes that a lane stores of a fragment lie in 4 rows for every half of a warp: rows 32 bytes apart do not meet.
constexpr int float_padding = SMEM_LAYOUT == padded ? 8 : 0;
constexpr int score_stride = BLOCK_N + float_padding;
constexpr int output_stride = HEAD_DIM + float_padding;

// The block's shared memory, in the order in which the declaration above counts its bytes.
struct Tiles {
  Element* q;        // [BLOCK_M, D]
  Element* k;        // [BLOCK_N, D]
  Element* v;        // [BLOCK_N, D]
  float* scores;     // [BLOCK_M, BLOCK_N] neither scaled nor masked
  Element* weights;  // [BLOCK_M, BLOCK_N]
  float* output;     // [BLOCK_M, D] not yet divided by the row's sum
  float* row_max;    // [BLOCK_M] of the scaled scores, in units of log2
  float* row_sum;    // [BLOCK_M]
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
  tiles.weights = reinterpret_cast<Element*>(tiles.scores + BLOCK_M * score_stride);
  tiles.output = reinterpret_cast<float*>(tiles.weights + BLOCK_M * WeightTile::row_stride);
  tiles.row_max = tiles.output + BLOCK_M * output_stride;
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

// One row by one warp: the scores become 16-bit weights in P, masked keys weigh 0, and the output so far is rescaled.
__device__ inline void softmax(const Tiles& tiles, int row, int lane, int first_key, int visible, float scale) {
  float score[scores_per_lane];
#pragma unroll
  for (int i = 0; i < scores_per_lane; ++i) {
    const int key = lane + i * warp_size;
    const bool is_visible = key < min(visible, BLOCK_N);
    score[i] = is_visible ? tiles.scores[row * score_stride + key] * scale : minus_infinity();
    if (key < BLOCK_N) probe("score_log2", blockIdx.x * BLOCK_M + row, first_key + key, score[i]);
  }
  const float rescale = update_row(score, tiles.row_max + row, tiles.row_sum + row, lane);
  if (lane == 0) {
    probe("m_log2", blockIdx.x * BLOCK_M + row, tiles.row_max[row]);
    probe("l", blockIdx.x * BLOCK_M + row, tiles.row_sum[row]);
    probe("rescale", blockIdx.x * BLOCK_M + row, rescale);
  }
#pragma unroll
  for (int i = 0; i < scores_per_lane; ++i) {
    const int key = lane + i * warp_size;
    if (key < BLOCK_N) from_float(score[i], tiles.weights[WeightTile::index(row, key)]);
  }
#pragma unroll
  for (int column = 0; column < HEAD_DIM; column += warp_size) {
    tiles.output[row * output_stride + column + lane] *= rescale;
  }
}

// O += P * V, 16 x 16 elements of O at a time.
__device__ inline void accumulate(const Tiles& tiles, int warp) {
  constexpr int tiles_d = HEAD_DIM / wmma_size;
  for (int i = warp; i < BLOCK_M / wmma_size * tiles_d; i += NUM_WARPS) {
    const int row = i / tiles_d * wmma_size, column = i % tiles_d * wmma_size;
    float* output = tiles.output + row * output_stride + column;
    Accumulator sum;
    load(sum, output, output_stride);
#pragma unroll
    for (int key = 0; key < BLOCK_N; key += wmma_size) {
      LeftFactor<Element> p;
      RightFactor<Element, row_order> v;
      load(p, tiles.weights + WeightTile::index(row, key), WeightTile::row_stride);
      load(v, tiles.v + Tile::index(key, column), Tile::row_stride);
      multiply_add(sum, p, v);
    }
    store(output, sum, output_stride);
  }
}

// The output so far, for those that step through the kernel: a tile's rows come from several warps.
__device__ inline void name_output(const Tiles& tiles, int warp, int lane, int first_query) {
#ifdef TILESCOPE_STEP
  for (int row = warp * rows_per_warp; row < (warp + 1) * rows_per_warp; ++row) {
    for (int column = lane; column < HEAD_DIM; column += warp_size) {
      probe("o", first_query + row, column, tiles.output[row * output_stride + column]);
    }
  }
#endif
}

// Divides by the row's sum and writes the row. A row that saw no key is zeros, its log-sum-exp -inf.
__device__ inline void store_row(const HeadView<Element>& head, long long row_stride, const Tiles& tiles, int row,
                                 int query, int lane) {
  const float sum = tiles.row_sum[row];
  const float inverse = sum > 0 ? 1 / sum : 0.0f;
  for (int column = lane; column < HEAD_DIM; column += warp_size) {
    from_float(tiles.output[row * output_stride + column] * inverse, head.o[query * row_stride + column]);
  }
  if (head.lse != nullptr && lane == 0) head.lse[query] = (tiles.row_max[row] + log2f(sum)) / log2_e;
}

// One block per SM is all that is asked for: without the 1, ptxas spills registers to let a second one reside.
extern "C" __global__ void __launch_bounds__(threads, 1) wmma_full(const AttentionProblem problem) {
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
  for (int i = threadIdx.x; i < BLOCK_M * output_stride; i += threads) tiles.output[i] = 0;
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
      softmax(tiles, row, lane, first_key, visible_keys(problem, first_query + row) - first_key, scale);
    }
    __syncthreads();  // the weights are written and the output is rescaled: a tile's rows come from several warps
    accumulate(tiles, warp);
    __syncthreads();  // all warps have read the tiles before the next ones replace them, and the output is written
    name_output(tiles, warp, lane, first_query);
  }

  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  for (int r = 0; r < rows_per_warp; ++r) {
    const int row = warp * rows_per_warp + r, query = first_query + row;
    if (query < problem.queries) store_row(head, problem.o_strides.row, tiles, row, query, lane);
  }
}
