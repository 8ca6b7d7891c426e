// Rung 2: tiles of K and V in shared memory, shared by the query rows of a block.
//
// Against the rung below (naive, one row per block): a block computes BLOCK_M rows and copies K and V into shared memory
// once for all of them, BLOCK_N keys at a time, in whole lines. Global memory is read BLOCK_M times less often. The rest
// stays: all scores of every row are kept, now BLOCK_M * Sk of them, so that shared memory bounds how long a sequence may
// be and how many rows may share a tile; and one thread computes the softmax of a row, now BLOCK_M threads at a time. The
// online softmax of the rung above removes both.

/* tilescope-kernel
{
  "name": "tiled",
  "role": "rung",
  "rung": 2,
  "title": "Tiles of K and V in shared memory, serial softmax over stored scores",
  "entry": "tiled",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "BLOCK_M", "values": [1, 2, 4, 8, 16, 32], "default": 16,
     "help": "Query rows per block: each tile of K and V is read from global memory once for all of them."},
    {"name": "BLOCK_N", "values": [16, 32, 64, 128], "default": 64,
     "help": "Keys per tile."},
    {"name": "NUM_WARPS", "values": [1, 2, 4, 8, 16], "default": 4,
     "help": "Warps per block. They share the scores of a tile and the elements of the output."},
    {"name": "VEC_WIDTH", "values": [1, 2, 4, 8], "default": 8,
     "help": "16-bit elements that one load or store moves, from global and from shared memory: 2, 4, 8 or 16 bytes."},
    {"name": "SMEM_LAYOUT", "values": ["row_major", "padded", "xor_swizzle"], "default": "xor_swizzle",
     "help": "How the rows of the tiles of K and V lie in shared memory, which decides the bank conflicts."}
  ],
  "let": {
    "CHUNK": "max(2, VEC_WIDTH)",
    "PART": "D % 64 == 0 ? 64 : 32",
    "PERMUTED": "SMEM_LAYOUT == xor_swizzle ? PART : CHUNK",
    "STRIDE": "D + (SMEM_LAYOUT == padded ? CHUNK : 0)",
    "TILE_BYTES": "2*BLOCK_N*STRIDE",
    "SCORE_STRIDE": "Sk + 1 - Sk % 2",
    "SCORE_BYTES": "4*BLOCK_M*SCORE_STRIDE"
  },
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "tiled takes D = 32, 64, 96, 128 or 256, as the other rungs of the ladder"},
    {"expression": "ceil_div(BLOCK_M*D / VEC_WIDTH, 32*NUM_WARPS) * VEC_WIDTH <= 64",
     "text": "a thread keeps its share of the BLOCK_M * D outputs in registers, 64 at most: take more warps or fewer rows"},
    {"expression": "SHARED_BYTES <= MAX_SHARED_BYTES",
     "text": "the scores do not fit: all BLOCK_M * Sk of them stay in shared memory, 4 bytes each, beside Q and one tile; take fewer rows per block"}
  ],
  "grid": ["ceil_div(Sq, BLOCK_M)", "Hq", "B"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "TILE_BYTES + 2*D*BLOCK_M + 8*BLOCK_M + SCORE_BYTES",
  "tiles": [
    {"name": "K and V", "bytes": "TILE_BYTES", "rows": "BLOCK_N", "columns": "D", "pitch": "STRIDE",
     "index": "ROW*PITCH + bit_xor(COLUMN, floor_div(ROW, 64/PART)*CHUNK % PERMUTED)"},
    {"name": "Q", "bytes": "2*D*BLOCK_M", "rows": "BLOCK_M", "columns": "D"},
    {"name": "row_max", "bytes": "4*BLOCK_M", "rows": "BLOCK_M", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "4*BLOCK_M", "rows": "BLOCK_M", "columns": "1", "element_bytes": "4"},
    {"name": "S", "bytes": "SCORE_BYTES", "rows": "BLOCK_M", "columns": "Sk", "pitch": "SCORE_STRIDE", "element_bytes": "4"}
  ],
  "phases": [
    {"name": "load", "functions": ["load_rows"]}, {"name": "scores", "functions": ["scores"]},
    {"name": "softmax", "functions": ["softmax"]}, {"name": "accumulate", "functions": ["accumulate"]},
    {"name": "store", "functions": ["store"]}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "device/head_view.cuh"
#include "device/load_rows.cuh"
#include "device/probe.cuh"
#include "device/shared_tile.cuh"
#include "device/store_floats.cuh"

using Element = DTYPE;

constexpr int threads = NUM_WARPS * 32;
constexpr int packets_per_row = HEAD_DIM / VEC_WIDTH;
// A thread owns VEC_WIDTH neighbouring columns of this many rows of the output.
constexpr int packets_per_thread = (BLOCK_M * packets_per_row + threads - 1) / threads;
constexpr float log2_e = 1.4426950408889634f;

// Q is read as a broadcast (all lanes the same word), which cannot conflict: it needs no layout.
using QueryTile = SharedTile<row_major, HEAD_DIM, VEC_WIDTH>;
using KeyTile = SharedTile<SMEM_LAYOUT, HEAD_DIM, VEC_WIDTH>;

// The block's shared memory, in the order in which the declaration above counts its bytes.
struct Tiles {
  Element* keys;     // [BLOCK_N, D] of K, then of V
  Element* q;        // [BLOCK_M, D]
  float* row_max;    // [BLOCK_M] of the scaled scores, in units of log2
  float* row_sum;    // [BLOCK_M] of the weights
  float* scores;     // [BLOCK_M, score_stride], then the weights
  int score_stride;  // odd: the threads of the softmax walk down BLOCK_M rows at once, each in a bank of its own
};

__device__ inline Tiles carve(char* shared, int keys) {
  Tiles tiles;
  tiles.keys = reinterpret_cast<Element*>(shared);
  shared += KeyTile::bytes(BLOCK_N);
  tiles.q = reinterpret_cast<Element*>(shared);
  shared += QueryTile::bytes(BLOCK_M);
  tiles.row_max = reinterpret_cast<float*>(shared);
  tiles.row_sum = tiles.row_max + BLOCK_M;
  tiles.scores = tiles.row_sum + BLOCK_M;
  tiles.score_stride = keys | 1;
  return tiles;
}

// The scores of all rows with the keys of one tile, in units of log2; masked ones are -inf. Neighbouring threads take
// neighbouring keys of one row.
__device__ inline void scores(const Tiles& tiles, const AttentionProblem& problem, int first_query, int first_key,
                              int keys) {
  const float scale = problem.softmax_scale * log2_e;
  for (int i = threadIdx.x; i < BLOCK_M * BLOCK_N; i += threads) {
    const int row = i / BLOCK_N, key = i % BLOCK_N;
    if (first_key + key >= keys) continue;
    float sum = 0;
#pragma unroll 8
    for (int column = 0; column < HEAD_DIM; column += VEC_WIDTH) {
      float q[VEC_WIDTH], k[VEC_WIDTH];
      unpack<Element>(load_packet<VEC_WIDTH>(tiles.q + QueryTile::index(row, column)), q);
      unpack<Element>(load_packet<VEC_WIDTH>(tiles.keys + KeyTile::index(key, column)), k);
#pragma unroll
      for (int j = 0; j < VEC_WIDTH; ++j) sum = fmaf(q[j], k[j], sum);
    }
    const bool visible = first_key + key < visible_keys(problem, first_query + row);
    tiles.scores[row * tiles.score_stride + first_key + key] = visible ? sum * scale : minus_infinity();
    probe("score_log2", first_query + row, first_key + key, visible ? sum * scale : minus_infinity());
  }
}

// Turns the scores of a row into weights, not yet divided by their sum. Thread t does all of row t, the others wait.
__device__ inline void softmax(const Tiles& tiles, int row, int keys) {
  float* scores = tiles.scores + row * tiles.score_stride;
  float max = minus_infinity();
  for (int key = 0; key < keys; ++key) max = fmaxf(max, scores[key]);
  const float base = max == minus_infinity() ? 0.0f : max;  // -inf minus -inf would be NaN
  float sum = 0;
  for (int key = 0; key < keys; ++key) {
    const float weight = exp2f(scores[key] - base);
    scores[key] = weight;
    sum += weight;
  }
  tiles.row_max[row] = max;
  tiles.row_sum[row] = sum;
  probe("m_log2", blockIdx.x * BLOCK_M + row, max);
  probe("l", blockIdx.x * BLOCK_M + row, sum);
}

// output += weights * V for the keys of one tile.
__device__ inline void accumulate(const Tiles& tiles, int first_key, int keys,
                                  float (&output)[packets_per_thread][VEC_WIDTH]) {
  const int tile_keys = min(BLOCK_N, keys - first_key);
#pragma unroll
  for (int p = 0; p < packets_per_thread; ++p) {
    const int i = threadIdx.x + p * threads;
    const int row = i / packets_per_row, column = i % packets_per_row * VEC_WIDTH;
    if (row >= BLOCK_M) break;
    const float* weights = tiles.scores + row * tiles.score_stride + first_key;
#pragma unroll 4
    for (int key = 0; key < tile_keys; ++key) {
      float v[VEC_WIDTH];
      unpack<Element>(load_packet<VEC_WIDTH>(tiles.keys + KeyTile::index(key, column)), v);
#pragma unroll
      for (int j = 0; j < VEC_WIDTH; ++j) output[p][j] = fmaf(weights[key], v[j], output[p][j]);
    }
#pragma unroll
    for (int j = 0; j < VEC_WIDTH; ++j) probe("o", blockIdx.x * BLOCK_M + row, column + j, output[p][j]);
  }
}

// Divides by the rows' sums and writes. A row that saw no key is zeros, its log-sum-exp -inf.
__device__ inline void store(const Tiles& tiles, const HeadView<Element>& head, const AttentionProblem& problem,
                             int first_query, const float (&output)[packets_per_thread][VEC_WIDTH]) {
#pragma unroll
  for (int p = 0; p < packets_per_thread; ++p) {
    const int i = threadIdx.x + p * threads;
    const int row = i / packets_per_row, column = i % packets_per_row * VEC_WIDTH;
    if (row >= BLOCK_M || first_query + row >= problem.queries) break;
    const float sum = tiles.row_sum[row];
    const float inverse = sum > 0 ? 1 / sum : 0.0f;
    float values[VEC_WIDTH];
#pragma unroll
    for (int j = 0; j < VEC_WIDTH; ++j) values[j] = output[p][j] * inverse;
    store_floats(head.o + (first_query + row) * problem.o_strides.row + column, values);
  }
  const int rows = min(BLOCK_M, problem.queries - first_query);
  if (head.lse == nullptr || threadIdx.x >= rows) return;
  head.lse[first_query + threadIdx.x] = (tiles.row_max[threadIdx.x] + log2f(tiles.row_sum[threadIdx.x])) / log2_e;
}

extern "C" __global__ void __launch_bounds__(threads) tiled(const AttentionProblem problem) {
  extern __shared__ __align__(16) char shared[];
  const Tiles tiles = carve(shared, problem.keys);
  const HeadView<Element> head = head_view<Element>(problem, blockIdx.z, blockIdx.y);
  const int first_query = blockIdx.x * BLOCK_M;
  // The block's last query sees the most keys.
  const int keys = visible_keys(problem, min(first_query + BLOCK_M, problem.queries) - 1);

  load_rows<QueryTile, VEC_WIDTH, threads>(tiles.q, head.q + first_query * problem.q_strides.row,
                                           problem.q_strides.row, BLOCK_M, problem.queries - first_query);
  for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {
    probe("tile", first_key, min(BLOCK_N, keys - first_key));
    load_rows<KeyTile, VEC_WIDTH, threads>(tiles.keys, head.k + first_key * problem.k_strides.row,
                                           problem.k_strides.row, BLOCK_N, keys - first_key);
    __syncthreads();  // the tile of K (and, the first time, Q) is written
    scores(tiles, problem, first_query, first_key, keys);
    __syncthreads();  // all have read the tile before the next one replaces it, and the scores are written
  }

  if (threadIdx.x < BLOCK_M) softmax(tiles, threadIdx.x, keys);

  float output[packets_per_thread][VEC_WIDTH] = {};
  for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {
    load_rows<KeyTile, VEC_WIDTH, threads>(tiles.keys, head.v + first_key * problem.v_strides.row,
                                           problem.v_strides.row, BLOCK_N, keys - first_key);
    __syncthreads();  // the tile of V (and, the first time, the weights) is written
    accumulate(tiles, first_key, keys, output);
    __syncthreads();  // all have read the tile before the next one replaces it
  }

  __syncthreads();  // with no tile at all, the sums were not yet waited for
  store(tiles, head, problem, first_query, output);
}
