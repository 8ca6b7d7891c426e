// Exhibit: the tiles are an ordinary __shared__ variable, and larger than 48 KB.
//
// Static shared memory ends at 48 KB, whatever the SM has. "A block of the L4 has 48 KB" is the usual, wrong conclusion:
// dynamic shared memory reaches 99 KB there, once it has been asked for with
// cuFuncSetAttribute(MAX_DYNAMIC_SHARED_SIZE_BYTES). The limit is kept by ptxas, up to sm_89 by every version; that of CUDA
// 13 lets sm_90 pass.

/* tilescope-kernel
{
  "name": "static_shared",
  "role": "exhibit",
  "title": "Static shared memory over 48 KB",
  "entry": "static_shared",
  "card": {
    "looks": "Larger tiles do not compile, or, where an error of the launch is not looked at, the kernel seems to hang or to do nothing.",
    "shown": "Status compile_failed with the sentence of ptxas: uses too much shared data, how much, and that dynamic shared memory reaches further. At D = 32 the tiles fit and nothing is wrong.",
    "diagnosis": "static_shared_memory",
    "repair": "Declare the memory extern __shared__ and say how much of it a launch needs: here in dynamic_shared_bytes."
  },
  "dtypes": ["fp16", "bf16"],
  "parameters": [
    {"name": "FAULT", "values": ["off", "on"], "default": "off",
     "help": "on: the tiles are static shared memory. off: dynamic."}
  ],
  "constraints": [
    {"expression": "D == 32 || D == 64 || D == 96 || D == 128 || D == 256",
     "text": "the exhibits take D = 32, 64, 96, 128 or 256, as the rungs of the ladder"},
    {"expression": "FAULT == on || SHARED_BYTES <= MAX_SHARED_BYTES",
     "text": "the tiles of 64 rows and 64 keys do not fit: Q, K, V, the scores and the output need more shared memory than a block has on this device"}
  ],
  "grid": ["ceil_div(Sq, 64)", "Hq", "B"],
  "threads": "256",
  "dynamic_shared_bytes": "FAULT == on ? 0 : 4*64*(D + 8) + 2*64*(D + 8) + 4*64*(64 + 4) + 4*64*D + 12*64",
  "tiles": [
    {"name": "K", "bytes": "FAULT == on ? 0 : 2*64*(D + 8)", "rows": "64", "columns": "D", "pitch": "D + 8"},
    {"name": "V", "bytes": "FAULT == on ? 0 : 2*64*(D + 8)", "rows": "64", "columns": "D", "pitch": "D + 8"},
    {"name": "Q", "bytes": "FAULT == on ? 0 : 2*64*(D + 8)", "rows": "64", "columns": "D", "pitch": "D + 8"},
    {"name": "S", "bytes": "FAULT == on ? 0 : 4*64*(64 + 4)", "rows": "64", "columns": "64", "pitch": "64 + 4",
     "element_bytes": "4"},
    {"name": "O", "bytes": "FAULT == on ? 0 : 4*64*D", "rows": "64", "columns": "D", "element_bytes": "4"},
    {"name": "row_max", "bytes": "FAULT == on ? 0 : 4*64", "rows": "64", "columns": "1", "element_bytes": "4"},
    {"name": "row_sum", "bytes": "FAULT == on ? 0 : 4*64", "rows": "64", "columns": "1", "element_bytes": "4"},
    {"name": "rescale", "bytes": "FAULT == on ? 0 : 4*64", "rows": "64", "columns": "1", "element_bytes": "4"}
  ],
  "arguments": [{"type": "attention_problem"}]
}
*/

#include "exhibits/scalar_block.cuh"

constexpr int rows = 64, keys = 64, warps = 8;
using Block = ScalarBlock<rows, keys, warps>;

template <Fault>
__device__ inline void* block_memory();

template <>
__device__ inline void* block_memory<on>() {
  __shared__ Block::Shared memory;
  return &memory;
}

template <>
__device__ inline void* block_memory<off>() {
  extern __shared__ __align__(128) char memory[];
  return memory;
}

extern "C" __global__ void __launch_bounds__(Block::threads, 1) static_shared(const AttentionProblem problem) {
  Block(block_memory<FAULT>(), problem, blockIdx.z, blockIdx.y, blockIdx.x * rows).run();
}
