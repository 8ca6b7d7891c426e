// Exhibit: the batch is a loop in the kernel instead of a dimension of the grid.
//
// A kernel that was written for one batch is given a loop over the batches, and its grid stays as it was. Each block then
// does B times the work, and the GPU that a single batch did not fill is no fuller with eight.

/* tilescope-kernel
{
  "name": "serialised_batch",
  "role": "exhibit",
  "title": "The batch serialised in the grid",
  "entry": "serialised_batch",
  "card": {
    "looks": "Time grows in proportion to B, where an idle GPU would take more batches at hardly any price: 17 times from B = 1 to 8 was seen.",
    "shown": "Occupancy: the grid has ceil(Sq / 32) * Hq blocks whatever B is, and its waves stay a small fraction of one. Latency against B is a straight line from the start.",
    "diagnosis": "serialised_dimension",
    "repair": "Make the batch a dimension of the grid: blockIdx.z instead of a loop."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: a block loops over all batches. off: a block computes one."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"}
  ],
  "grid": ["ceil_div(Sq, 32)", "Hq", "FAULT == on ? 1 : B"],
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

extern "C" __global__ void __launch_bounds__(Block::threads, 1) serialised_batch(const AttentionProblem problem) {
  extern __shared__ __align__(128) char shared[];
  for (int batch = blockIdx.z; batch < problem.batches; batch += FAULT == on ? 1 : gridDim.z) {
    Block(shared, problem, batch, blockIdx.y, blockIdx.x * rows).run();
    __syncthreads();  // the rows are stored before the next batch replaces them
  }
}
