// Exhibit: the rows of the scores are dealt to threads, a row each, and there are fewer rows than threads.
//
// `for (row = threadIdx.x; row < 32; row += threads)` reads like a loop over a whole block, but all 32 rows fall to the 32
// threads of warp 0. The other warps wait at the next barrier while it computes every score of the tile.

/* tilescope-kernel
{
  "name": "idle_warps",
  "role": "exhibit",
  "title": "One warp of eight works",
  "entry": "idle_warps",
  "card": {
    "looks": "Time does not fall with more warps, and hardly with anything else that is tuned.",
    "shown": "A sweep of NUM_WARPS: latency stays level. The counts are no help, because the work is the same: the window of the addresses that the scores' line used lists warp 0 alone.",
    "diagnosis": "idle_warps",
    "repair": "Deal the (row, key) pairs, not the rows: there are 1,024 of them in a tile, enough for all warps."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: thread t computes row t of the scores. off: the (row, key) pairs are dealt to all threads."},
    {"name": "NUM_WARPS", "values": [1, 2, 4, 8], "default": 8,
     "help": "Warps per block."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, 32)", "Hq", "B"],
  "threads": "NUM_WARPS * 32",
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

constexpr int rows = 32, keys = 32;
using Block = ScalarBlock<rows, keys, NUM_WARPS>;

__device__ inline void scores(Block& block, int first_key) {
  if constexpr (FAULT == off) return block.scores(first_key);
  for (int row = threadIdx.x; row < rows; row += Block::threads) {
    for (int key = 0; key < keys; ++key) block.keep_score(row, key, first_key, block.score(row, key));
  }
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) idle_warps(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    block.load(first_key);
    __syncthreads();  // the tiles are written
    scores(block, first_key);
    __syncthreads();  // the scores are written; with the fault, warp 0 is waited for here
    block.softmax();
    __syncthreads();  // the weights are written
    block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
