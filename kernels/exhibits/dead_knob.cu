// Exhibit: a parameter with a slider, a help text, and no line of code that reads it.
//
// It was meant to choose the width of the loads; the code says 8. A search over it measures the same kernel many times,
// finds a best value in the noise and reports a gain.

/* tilescope-kernel
{
  "name": "dead_knob",
  "role": "exhibit",
  "title": "A parameter that nothing reads",
  "entry": "dead_knob",
  "card": {
    "looks": "A tuned parameter with no effect, or a gain of 1% that goes away when it is measured again.",
    "shown": "Provenance: the points have one SASS hash for every value of VEC_WIDTH. Their latencies are ties within the noise.",
    "diagnosis": "dead_knob",
    "repair": "Read the parameter, or delete it. A test that every parameter changes the machine code keeps it so."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: VEC_WIDTH is ignored. off: it is the width of the loads from global memory."},
    {"name": "VEC_WIDTH", "values": [2, 4, 8], "default": 8,
     "help": "16-bit elements that one load of K or V moves."}
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

constexpr int width = FAULT == on ? 8 : VEC_WIDTH;

__device__ inline void load(Block& block, int first_key) {
  const AttentionProblem& problem = block.problem;
  load_rows<Block::KeyTile, width, Block::threads>(block.shared.k, block.key(first_key), problem.k_strides.row, keys,
                                                   block.keys - first_key);
  load_rows<Block::KeyTile, width, Block::threads>(block.shared.v, block.value(first_key), problem.v_strides.row,
                                                   keys, block.keys - first_key);
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) dead_knob(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  Block block(shared, problem, blockIdx.z, blockIdx.y, blockIdx.x * rows);
  block.begin();
  for (int first_key = 0; first_key < block.keys; first_key += keys) {
    load(block, first_key);
    __syncthreads();  // the tiles are written
    block.scores(first_key);
    __syncthreads();  // the scores are written
    block.softmax();
    __syncthreads();  // the weights are written
    block.accumulate();
    __syncthreads();  // the tiles and the weights are read
  }
  __syncthreads();  // with no tile at all, the zeroed output was not yet waited for
  block.store();
}
