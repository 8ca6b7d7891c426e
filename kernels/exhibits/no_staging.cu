// Exhibit: K and V are read from global memory where they are used, not from tiles in shared memory.
//
// Each of the 32 rows of a block reads every element of K and V for itself. The caches catch most of it, but each access
// still takes the longer way through L1 and L2, and lanes that read one column of 32 keys touch 32 lines at once.

/* tilescope-kernel
{
  "name": "no_staging",
  "role": "exhibit",
  "title": "No staging in shared memory",
  "entry": "no_staging",
  "card": {
    "looks": "Several times slower than with tiles, though the arithmetic is the same; the more query rows a block has, the worse.",
    "shown": "Memory: global sectors grow some thirtyfold, at the lines of the products, and those of the scores take twice the fewest: 32 sectors for a request. Shared wavefronts fall.",
    "diagnosis": "no_staging",
    "repair": "Copy each tile of K and V into shared memory once, in whole lines, and let all rows of the block read it there."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: the products read K and V from global memory. off: from tiles in shared memory."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, 32)", "Hq", "B"],
  "threads": "256",
  "dynamic_shared_bytes": "4*32*(D + 8) + 2*32*(D + 8) + 4*32*(32 + 4) + 4*32*D + 12*32",
  "tiles": [
    {"name": "K", "bytes": "2*32*(D + 8)", "rows": "32", "columns": "D", "pitch": "D + 8"},
    {"name": "V", "bytes": "2*32*(D + 8)", "rows": "32", "columns": "D", "pitch": "D + 8"},
    {"name": "Q", "bytes": "2*32*(D + 8)", "rows": "32", "columns": "D", "pitch": "D + 8"},
    {"name": "S", "bytes": "4*32*(32 + 4)", "rows": "32", "columns": "32", "pitch": "32 + 4", "element_bytes": "4"},
    {"name": "O", "bytes": "4*32*D", "rows": "32", "columns": "D", "element_bytes": "4"},
    {"name": "row_max", "bytes": "4*32", "rows": "32", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "4*32", "rows": "32", "columns": "1", "element_bytes": "4"},
    {"name": "rescale", "bytes": "4*32", "rows": "32", "columns": "1", "element_bytes": "4"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "exhibits/scalar_block.cuh"

constexpr int rows = 32, keys = 32, warps = 8;
using Block = ScalarBlock<rows, keys, warps>;
using Element = Block::Element;

// Block::score and Block::accumulate_piece with K and V where they lie in global memory.
__device__ inline float score(const Block& block, int row, const Element* k) {
  constexpr int width = Block::width;
  float sum = 0;
#pragma unroll 8
  for (int column = 0; column < HEAD_DIM; column += width) {
    float q_values[width], k_values[width];
    unpack<Element>(load_packet<width>(block.shared.q + Block::QueryTile::index(row, column)), q_values);
    unpack<Element>(load_packet<width>(k + column), k_values);
#pragma unroll
    for (int j = 0; j < width; ++j) sum = fmaf(q_values[j], k_values[j], sum);
  }
  return sum;
}

__device__ inline void scores(Block& block, int first_key) {
  for (int i = threadIdx.x; i < rows * keys; i += Block::threads) {
    const int row = i / keys, key = i % keys;
    const bool exists = first_key + key < block.keys;
    block.keep_score(row, key, first_key, exists ? score(block, row, block.key(first_key + key)) : 0.0f);
  }
}

__device__ inline void accumulate(Block& block, int first_key) {
  constexpr int piece = Block::piece;
  for (int i = threadIdx.x; i < rows * Block::pieces_per_row; i += Block::threads) {
    const int row = i / Block::pieces_per_row, column = i % Block::pieces_per_row * piece;
    float* output = block.shared.output + row * HEAD_DIM + column;
    float sum[piece];
#pragma unroll
    for (int j = 0; j < piece; ++j) sum[j] = output[j] * block.shared.rescale[row];
    for (int key = 0; key < min(keys, block.keys - first_key); ++key) {
      float v[piece];
      unpack<Element>(load_packet<piece>(block.value(first_key + key) + column), v);
      const float weight = block.shared.scores[row * Block::score_stride + key];
#pragma unroll
      for (int j = 0; j < piece; ++j) sum[j] = fmaf(weight, v[j], sum[j]);
    }
#pragma unroll
    for (int j = 0; j < piece; ++j) output[j] = sum[j];
  }
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) no_staging(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    if constexpr (FAULT == off) block.load(first_key);
    __syncthreads();  // the tiles (and, the first time, Q) are written
    FAULT == on ? scores(block, first_key) : block.scores(first_key);
    __syncthreads();  // the scores are written
    block.softmax();
    __syncthreads();  // the weights are written
    FAULT == on ? accumulate(block, first_key) : block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
