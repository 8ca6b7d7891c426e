// Exhibit: a barrier behind every step of every phase.
//
// A kernel that was wrong was synchronised until it was right. The barriers inside the phases order nothing: what a thread
// writes there, no other thread reads before the phase ends. But at each of them all warps wait for the slowest, and none
// can hide the latency of another's loads.

/* tilescope-kernel
{
  "name": "needless_barriers",
  "role": "exhibit",
  "title": "Barriers that order nothing",
  "entry": "needless_barriers",
  "card": {
    "looks": "Right, and slower than it need be; more warps help less than they should.",
    "shown": "Memory: the barrier waits are a multiple of those without the fault, everything else is the same. trace --check stays clean when they are taken out, one by one.",
    "diagnosis": "needless_barriers",
    "repair": "Keep one barrier between two phases of which the second reads what other warps wrote in the first, and write down what each of them waits for."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: a barrier behind every step of a phase as well. off: one behind each phase."}
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

__device__ inline void barrier_of_step() {
  if constexpr (FAULT == on) __syncthreads();
}

// The phases of Block with a barrier in their loops, which all threads leave after the same number of rounds.
__device__ inline void scores(Block& block, int first_key) {
  for (int i = threadIdx.x; i < rows * keys; i += Block::threads) {
    block.keep_score(i / keys, i % keys, first_key, block.score(i / keys, i % keys));
    barrier_of_step();
  }
}

__device__ inline void softmax(Block& block) {
  for (int row = Block::warp(); row < rows; row += warps) {
    block.softmax_row(row);
    barrier_of_step();
  }
}

__device__ inline void accumulate(Block& block) {
  for (int i = threadIdx.x; i < rows * Block::pieces_per_row; i += Block::threads) {
    block.accumulate_piece(i);
    barrier_of_step();
  }
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) needless_barriers(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    block.load(first_key);
    __syncthreads();  // the tiles are written
    scores(block, first_key);
    __syncthreads();  // the scores are written
    softmax(block);
    __syncthreads();  // the weights are written
    accumulate(block);
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
