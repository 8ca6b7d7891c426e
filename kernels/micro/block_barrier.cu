// What a block barrier costs warps that arrive together.
//
// No __launch_bounds__: of a block that it knows to be one warp the compiler makes no barrier.

/* tilescope-kernel
{
  "name": "block_barrier",
  "role": "micro",
  "title": "Block barrier: clocks for 1 to 32 warps",
  "entry": "block_barrier",
  "dtypes": ["fp16"],
  "parameters": [
    {"name": "NUM_WARPS", "values": [1, 2, 4, 8, 16, 32], "default": 8,
     "help": "Warps of the block."},
    {"name": "UNROLL", "values": [16], "default": 16,
     "help": "Barriers in the body of the timed loop."}
  ],
  "constraints": [],
  "grid": ["1", "1", "1"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "0",
  "arguments": [
    {"type": "pointer", "value": "scratch", "bytes": "16 * NUM_WARPS"},
    {"type": "pointer", "value": "scratch", "bytes": "128 * NUM_WARPS"},
    {"type": "pointer", "value": "null"},
    {"type": "int64", "value": "0"},
    {"type": "int32", "value": "16"}
  ]
}
*/

#include "micro/stopwatch.cuh"

extern "C" __global__ void block_barrier(WarpSpan* spans, unsigned*, void*, long long, int repeats) {
  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) asm volatile("bar.sync 0;" ::: "memory");
  }
  report(spans, start, read_clock());
}
