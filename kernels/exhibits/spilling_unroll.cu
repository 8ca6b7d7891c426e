// Exhibit: a loop unrolled until its values no longer fit the registers.
//
// To load each element of Q once and use it for four keys, a thread keeps its whole row of Q as floats, D of them. The
// block is bounded to 64 registers a thread so that four blocks reside on an SM; what does not fit is spilled: stored in
// local memory and loaded again, through the caches that the data needs.

/* tilescope-kernel
{
  "name": "spilling_unroll",
  "role": "exhibit",
  "title": "An over-unrolled loop that spills registers",
  "entry": "spilling_unroll",
  "card": {
    "looks": "Unrolling further makes it slower; so does asking for more blocks per SM.",
    "shown": "Resources: spill bytes and stack bytes above 0, the more the larger D is (none at D = 32). The compiler's log says the same.",
    "diagnosis": "spills",
    "repair": "Unroll by what the registers hold (here 8 columns), or let fewer blocks reside, or let more threads share the row."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: a thread keeps a whole row of Q in registers. off: 8 columns at a time."}
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

constexpr int blocks_per_sm = 4;
constexpr int threads_per_row = Block::threads / rows;

// The scores of every eighth key of a row. The loops over the columns are unrolled completely, so that q is registers.
__device__ inline void scores_of_row(Block& block, int row, int first_key) {
  constexpr int width = Block::width;
  float q[HEAD_DIM];
#pragma unroll
  for (int column = 0; column < HEAD_DIM; column += width) {
    float values[width];
    unpack<Element>(load_packet<width>(block.shared.q + Block::QueryTile::index(row, column)), values);
#pragma unroll
    for (int j = 0; j < width; ++j) q[column + j] = values[j];
  }
#pragma unroll 1
  for (int key = threadIdx.x % threads_per_row; key < keys; key += threads_per_row) {
    float sum = 0;
#pragma unroll
    for (int column = 0; column < HEAD_DIM; column += width) {
      float k[width];
      unpack<Element>(load_packet<width>(block.shared.k + Block::KeyTile::index(key, column)), k);
#pragma unroll
      for (int j = 0; j < width; ++j) sum = fmaf(q[column + j], k[j], sum);
    }
    block.keep_score(row, key, first_key, sum);
  }
}

extern "C" __global__ void __launch_bounds__(Block::threads, blocks_per_sm)
    spilling_unroll(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    block.load(first_key);
    __syncthreads();  // the tiles are written
    if constexpr (FAULT == on) {
      scores_of_row(block, threadIdx.x / threads_per_row, first_key);
    } else {
      block.scores(first_key);
    }
    __syncthreads();  // the scores are written
    block.softmax();
    __syncthreads();  // the weights are written
    block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
