// Exhibit: the odd lanes of a warp walk the columns backwards.
//
// It was meant to keep neighbouring lanes off each other's banks. But a warp has one program counter for all lanes that run
// together: where they branch apart it executes both sides, one after the other, each with half of the lanes.

/* tilescope-kernel
{
  "name": "divergent_branches",
  "role": "exhibit",
  "title": "Lanes of a warp that take different branches",
  "entry": "divergent_branches",
  "card": {
    "looks": "The products cost twice the instructions, and so nearly twice the time of their phase.",
    "shown": "Memory: the reads of Q and K appear in two places, each executed as often as before with 16 of 32 lanes; half as many warp instructions again for the same result, and conflicts, because the remaining lanes read every other row.",
    "diagnosis": "divergence",
    "repair": "Let the lanes of a warp take one branch: decide by the warp, or compute what differs (here the column) instead of branching on it."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: lanes of odd keys take a branch of their own. off: all lanes go the same way."}
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

// Block::score from the last column to the first.
__device__ inline float score_backwards(const Block& block, int row, int key) {
  constexpr int width = Block::width;
  float sum = 0;
#pragma unroll 8
  for (int column = HEAD_DIM - width; column >= 0; column -= width) {
    float q[width], k[width];
    unpack<Element>(load_packet<width>(block.shared.q + Block::QueryTile::index(row, column)), q);
    unpack<Element>(load_packet<width>(block.shared.k + Block::KeyTile::index(key, column)), k);
#pragma unroll
    for (int j = 0; j < width; ++j) sum = fmaf(q[j], k[j], sum);
  }
  return sum;
}

__device__ inline void scores(Block& block, int first_key) {
  for (int i = threadIdx.x; i < rows * keys; i += Block::threads) {
    const int row = i / keys, key = i % keys;
    float sum;
    if (FAULT == on && key % 2 == 1) {
      sum = score_backwards(block, row, key);
    } else {
      sum = block.score(row, key);
    }
    block.keep_score(row, key, first_key, sum);
  }
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) divergent_branches(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    block.load(first_key);
    __syncthreads();  // the tiles are written
    scores(block, first_key);
    __syncthreads();  // the scores are written
    block.softmax();
    __syncthreads();  // the weights are written
    block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
