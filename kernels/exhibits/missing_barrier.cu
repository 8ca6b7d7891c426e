// Exhibit: the barrier between writing the scores and reading them is left out.
//
// A row of 64 scores is written by two warps and read by a third. Without a barrier the reader may come first, and takes
// what the last tile left there. Whether it does depends on when the warps run: results are right in some runs, wrong in
// others, and in a debugger always right. Dropping barriers was once a tuning parameter, and 19% of its trials passed.

/* tilescope-kernel
{
  "name": "missing_barrier",
  "role": "exhibit",
  "title": "Missing barrier after scores",
  "entry": "missing_barrier",
  "card": {
    "looks": "Results that are wrong now and then, by much, and differ from run to run; a little faster than without the fault.",
    "shown": "trace --check names the race: the line that writes S, the line that reads it, both threads and the byte. measure fails it as wrong_result wherever the order of the warps shows.",
    "diagnosis": "race",
    "repair": "Put __syncthreads() between the two phases."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: no barrier between scores and softmax. off: one."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, 16)", "Hq", "B"],
  "threads": "256",
  "dynamic_shared_bytes": "4*64*(D + 8) + 2*16*(D + 8) + 4*16*(64 + 4) + 4*16*D + 12*16",
  "tiles": [
    {"name": "K", "bytes": "2*64*(D + 8)", "rows": "64", "columns": "D", "pitch": "D + 8"},
    {"name": "V", "bytes": "2*64*(D + 8)", "rows": "64", "columns": "D", "pitch": "D + 8"},
    {"name": "Q", "bytes": "2*16*(D + 8)", "rows": "16", "columns": "D", "pitch": "D + 8"},
    {"name": "S", "bytes": "4*16*(64 + 4)", "rows": "16", "columns": "64", "pitch": "64 + 4", "element_bytes": "4"},
    {"name": "O", "bytes": "4*16*D", "rows": "16", "columns": "D", "element_bytes": "4"},
    {"name": "row_max", "bytes": "4*16", "rows": "16", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "4*16", "rows": "16", "columns": "1", "element_bytes": "4"},
    {"name": "rescale", "bytes": "4*16", "rows": "16", "columns": "1", "element_bytes": "4"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "exhibits/scalar_block.cuh"

constexpr int rows = 16, keys = 64, warps = 8;
using Block = ScalarBlock<rows, keys, warps>;

extern "C" __global__ void __launch_bounds__(Block::threads, 1) missing_barrier(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    block.load(first_key);
    __syncthreads();  // the tiles are written
    block.scores(first_key);
    if constexpr (FAULT == off) __syncthreads();  // the scores are written
    block.softmax();
    __syncthreads();  // the weights are written
    block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
