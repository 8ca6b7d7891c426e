// flash_scalar as it was when the GPU's counters and outputs were recorded (../hardware/README.md), so that the rung of
// the ladder can change without a new record. Not a kernel of the catalogue.

/* tilescope-kernel
{
  "name": "flash_scalar",
  "role": "rung",
  "title": "Online softmax, a warp per query row, scalar FMAs",
  "entry": "flash_scalar",
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "BLOCK_M", "values": [8, 16, 32, 64, 128], "default": 32,
     "help": "Query rows per block. More rows read each tile of K and V fewer times from global memory."},
    {"name": "BLOCK_N", "values": [16, 32, 64, 128], "default": 64,
     "help": "Keys per tile. With 16, half of the lanes of a warp have no score to compute."},
    {"name": "NUM_WARPS", "values": [1, 2, 4, 8, 16], "default": 8,
     "help": "Warps per block; each computes BLOCK_M / NUM_WARPS rows, one after the other."},
    {"name": "VEC_WIDTH", "values": [1, 2, 4, 8], "default": 8,
     "help": "16-bit elements that one load or store moves, from global and from shared memory: 2, 4, 8 or 16 bytes."},
    {"name": "SMEM_LAYOUT", "values": ["row_major", "padded", "xor_swizzle"], "default": "xor_swizzle",
     "help": "How the rows of the tiles of K and V lie in shared memory, which decides the bank conflicts."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 128",
     "text": "flash_scalar takes D = 32, 64 or 128: a lane accumulates D / 32 columns of the output"},
    {"expression": "BLOCK_M % NUM_WARPS == 0",
     "text": "BLOCK_M must be a multiple of NUM_WARPS: every warp of a block takes the same number of query rows, or their barriers do not match"},
    {"expression": "SHARED_BYTES <= MAX_SHARED_BYTES",
     "text": "the tiles do not fit: Q, the float output, and one tile each of K and V need more shared memory than a block has on this device"}
  ],
  "grid": ["ceil_div(Sq, BLOCK_M)", "Hq", "B"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "2*D*BLOCK_M + 4*D*BLOCK_M + 8*BLOCK_M + 2*2*BLOCK_N*(D + (SMEM_LAYOUT == padded ? max(2, VEC_WIDTH) : 0))",
  "tiles": [
    {"name": "K", "bytes": "2*BLOCK_N*(D + (SMEM_LAYOUT == padded ? max(2, VEC_WIDTH) : 0))"},
    {"name": "V", "bytes": "2*BLOCK_N*(D + (SMEM_LAYOUT == padded ? max(2, VEC_WIDTH) : 0))"},
    {"name": "Q", "bytes": "2*D*BLOCK_M"},
    {"name": "O", "bytes": "4*D*BLOCK_M"},
    {"name": "row_max", "bytes": "4*BLOCK_M"},
    {"name": "row_sum", "bytes": "4*BLOCK_M"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "device/attention_problem.cuh"
#include "device/element.cuh"
#include "device/shared_tile.cuh"
#include "device/warp_reduce.cuh"

using Element = DTYPE;

constexpr int warp_size = 32;
constexpr int threads = NUM_WARPS * warp_size;
constexpr int rows_per_warp = BLOCK_M / NUM_WARPS;
constexpr int scores_per_lane = (BLOCK_N + warp_size - 1) / warp_size;
constexpr int columns_per_lane = HEAD_DIM / warp_size;
// A lane owns D / 32 columns of V, which bounds the width of its reads there.
constexpr int value_width = VEC_WIDTH < columns_per_lane ? VEC_WIDTH : columns_per_lane;
constexpr float log2_e = 1.4426950408889634f;

// Q is read as a broadcast (all lanes the same word), which cannot conflict: it needs no layout.
using QueryTile = SharedTile<row_major, HEAD_DIM, VEC_WIDTH>;
using KeyTile = SharedTile<SMEM_LAYOUT, HEAD_DIM, VEC_WIDTH>;

// The block's shared memory, in the order in which the declaration above counts its bytes.
struct Tiles {
  Element* q;         // [BLOCK_M, D]
  Element* k;         // [BLOCK_N, D]
  Element* v;         // [BLOCK_N, D]
  float* output;      // [BLOCK_M, D] not yet divided by the row's sum
  float* row_max;     // [BLOCK_M] of the scaled scores, in units of log2
  float* row_sum;     // [BLOCK_M]
};

__device__ inline Tiles carve(char* shared) {
  Tiles tiles;
  tiles.k = reinterpret_cast<Element*>(shared);
  shared += KeyTile::bytes(BLOCK_N);
  tiles.v = reinterpret_cast<Element*>(shared);
  shared += KeyTile::bytes(BLOCK_N);
  tiles.q = reinterpret_cast<Element*>(shared);
  shared += QueryTile::bytes(BLOCK_M);
  tiles.output = reinterpret_cast<float*>(shared);
  tiles.row_max = tiles.output + BLOCK_M * HEAD_DIM;
  tiles.row_sum = tiles.row_max + BLOCK_M;
  return tiles;
}

// Copies `rows` rows into a tile; rows past `valid` become zeros, because 0 * NaN from stale memory would be NaN.
template <class Tile>
__device__ inline void load(Element* tile, const Element* source, long long row_stride, int rows, int valid) {
  constexpr int packets_per_row = HEAD_DIM / VEC_WIDTH;
  for (int i = threadIdx.x; i < rows * packets_per_row; i += threads) {
    const int row = i / packets_per_row;
    const int column = i % packets_per_row * VEC_WIDTH;
    Packet<VEC_WIDTH> packet{};
    if (row < valid) packet = load_packet<VEC_WIDTH>(source + row * row_stride + column);
    store_packet(tile + Tile::index(row, column), packet);
  }
}

// Lane l computes the scores of keys l, l + 32, ... of the tile, in units of log2; masked ones are -inf.
__device__ inline void scores(const Tiles& tiles, int row, int lane, int visible_keys, float scale,
                              float (&score)[scores_per_lane]) {
#pragma unroll
  for (int i = 0; i < scores_per_lane; ++i) {
    const int key = lane + i * warp_size;
    float sum = 0;
    if (key < BLOCK_N) {
#pragma unroll 8
      for (int column = 0; column < HEAD_DIM; column += VEC_WIDTH) {
        float q[VEC_WIDTH], k[VEC_WIDTH];
        unpack<Element>(load_packet<VEC_WIDTH>(tiles.q + QueryTile::index(row, column)), q);
        unpack<Element>(load_packet<VEC_WIDTH>(tiles.k + KeyTile::index(key, column)), k);
#pragma unroll
        for (int j = 0; j < VEC_WIDTH; ++j) sum = fmaf(q[j], k[j], sum);
      }
    }
    score[i] = key < min(visible_keys, BLOCK_N) ? sum * scale : minus_infinity();
  }
}

// Turns scores into weights against the new maximum and returns the factor that rescales what was accumulated.
// A row that has seen no key has a maximum of -inf: -inf minus -inf would be NaN, so it subtracts 0 instead.
__device__ inline float softmax(const Tiles& tiles, int row, int lane, float (&score)[scores_per_lane]) {
  float tile_max = score[0];
#pragma unroll
  for (int i = 1; i < scores_per_lane; ++i) tile_max = fmaxf(tile_max, score[i]);
  const float old_max = tiles.row_max[row];
  const float new_max = fmaxf(old_max, warp_max(tile_max));
  const float base = new_max == minus_infinity() ? 0.0f : new_max;
  const float rescale = exp2f(old_max - base);
  float tile_sum = 0;
#pragma unroll
  for (int i = 0; i < scores_per_lane; ++i) {
    score[i] = exp2f(score[i] - base);
    tile_sum += score[i];
  }
  const float new_sum = tiles.row_sum[row] * rescale + warp_sum(tile_sum);
  __syncwarp();  // every lane has read the old maximum and sum before lane 0 replaces them
  if (lane == 0) {
    tiles.row_max[row] = new_max;
    tiles.row_sum[row] = new_sum;
  }
  return rescale;
}

// output[row] = output[row] * rescale + weights * V; a lane owns D / 32 neighbouring columns.
__device__ inline void accumulate(const Tiles& tiles, int row, int lane, float rescale,
                                  const float (&weight)[scores_per_lane]) {
  const int first_column = lane * columns_per_lane;
  float* output = tiles.output + row * HEAD_DIM + first_column;
  float sum[columns_per_lane];
#pragma unroll
  for (int c = 0; c < columns_per_lane; ++c) sum[c] = output[c] * rescale;
#pragma unroll
  for (int i = 0; i < scores_per_lane; ++i) {
    constexpr int keys_in_step = BLOCK_N < warp_size ? BLOCK_N : warp_size;
#pragma unroll 8
    for (int j = 0; j < keys_in_step; ++j) {
      const float w = __shfl_sync(0xffffffffu, weight[i], j);
#pragma unroll
      for (int c = 0; c < columns_per_lane; c += value_width) {
        float v[value_width];
        const int index = KeyTile::index(i * warp_size + j, first_column + c);
        unpack<Element>(load_packet<value_width>(tiles.v + index), v);
#pragma unroll
        for (int e = 0; e < value_width; ++e) sum[c + e] = fmaf(w, v[e], sum[c + e]);
      }
    }
  }
#pragma unroll
  for (int c = 0; c < columns_per_lane; ++c) output[c] = sum[c];
}

// Divides by the row's sum and writes the row. A row that saw no key is zeros, its log-sum-exp -inf.
__device__ inline void store(const AttentionProblem& problem, const Tiles& tiles, int row, int query, int lane) {
  const int head = blockIdx.y, batch = blockIdx.z;
  const float sum = tiles.row_sum[row];
  const float inverse = sum > 0 ? 1 / sum : 0.0f;
  Element* o = static_cast<Element*>(problem.o) + batch * problem.o_strides.batch + head * problem.o_strides.head +
               query * problem.o_strides.row;
#pragma unroll
  for (int c = 0; c < columns_per_lane; ++c) {
    const int column = lane * columns_per_lane + c;
    from_float(tiles.output[row * HEAD_DIM + column] * inverse, o[column]);
  }
  if (problem.lse != nullptr && lane == 0) {
    const long long index = (static_cast<long long>(batch) * problem.query_heads + head) * problem.queries + query;
    problem.lse[index] = (tiles.row_max[row] + log2f(sum)) / log2_e;
  }
}

extern "C" __global__ void __launch_bounds__(threads) flash_scalar(const AttentionProblem problem) {
  extern __shared__ __align__(16) char shared[];
  const Tiles tiles = carve(shared);
  const int lane = threadIdx.x % warp_size;
  const int first_row = threadIdx.x / warp_size * rows_per_warp;
  const int head = blockIdx.y, batch = blockIdx.z;
  const int first_query = blockIdx.x * BLOCK_M;
  const int key_head = head / (problem.query_heads / problem.key_heads);

  const Element* q = static_cast<const Element*>(problem.q) + batch * problem.q_strides.batch +
                     head * problem.q_strides.head + first_query * problem.q_strides.row;
  const Element* k = static_cast<const Element*>(problem.k) + batch * problem.k_strides.batch +
                     key_head * problem.k_strides.head;
  const Element* v = static_cast<const Element*>(problem.v) + batch * problem.v_strides.batch +
                     key_head * problem.v_strides.head;

  load<QueryTile>(tiles.q, q, problem.q_strides.row, BLOCK_M, problem.queries - first_query);
  for (int i = threadIdx.x; i < BLOCK_M * HEAD_DIM; i += threads) tiles.output[i] = 0;
  for (int i = threadIdx.x; i < BLOCK_M; i += threads) {
    tiles.row_max[i] = minus_infinity();
    tiles.row_sum[i] = 0;
  }

  // Query i sees the keys up to i + (Sk - Sq) when causal, so the block's last query bounds its keys.
  const int last_query = min(first_query + BLOCK_M, problem.queries) - 1;
  const int offset = problem.keys - problem.queries;
  const int keys = CAUSAL ? min(problem.keys, last_query + offset + 1) : problem.keys;
  const float scale = problem.softmax_scale * log2_e;

  for (int first_key = 0; first_key < keys; first_key += BLOCK_N) {
    load<KeyTile>(tiles.k, k + first_key * problem.k_strides.row, problem.k_strides.row, BLOCK_N,
                  problem.keys - first_key);
    load<KeyTile>(tiles.v, v + first_key * problem.v_strides.row, problem.v_strides.row, BLOCK_N,
                  problem.keys - first_key);
    __syncthreads();  // the tiles (and, the first time, Q and the zeroed output) are written
    for (int r = 0; r < rows_per_warp; ++r) {
      const int row = first_row + r;
      const int visible = CAUSAL ? min(problem.keys, first_query + row + offset + 1) - first_key
                                 : problem.keys - first_key;
      float score[scores_per_lane];
      scores(tiles, row, lane, visible, scale, score);
      const float rescale = softmax(tiles, row, lane, score);
      accumulate(tiles, row, lane, rescale, score);
    }
    __syncthreads();  // all warps have read the tiles before the next ones replace them
  }

  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  for (int r = 0; r < rows_per_warp; ++r) {
    const int query = first_query + first_row + r;
    if (query < problem.queries) store(problem, tiles, first_row + r, query, lane);
  }
}
