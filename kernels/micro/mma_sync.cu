// Latency and rate of mma.sync.m16n8k16 with accumulation in FP32: 2 * 16 * 8 * 16 = 4096 floating-point operations.
// On Hopper it does not reach what wgmma does.

/* tilescope-kernel
{
  "name": "mma_sync",
  "role": "micro",
  "title": "mma.sync m16n8k16: latency of a chain through its accumulators, FLOP per clock",
  "entry": "mma_sync",
  "dtypes": ["fp16", "bf16"], "macros": ["DTYPE"],
  "parameters": [
    {"name": "NUM_WARPS", "values": [1, 4, 8, 16], "default": 16,
     "help": "Warps of the one block: 1 for latency, 4, 8 and 16 are one, two and four for each quarter of the SM."},
    {"name": "CHAINS", "values": [1, 4], "default": 4,
     "help": "Independent accumulators in each warp: 1 for latency."},
    {"name": "UNROLL", "values": [16], "default": 16,
     "help": "Products of each chain in the body of the timed loop."}
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
#include "device/mma_m16n8k16.cuh"

// Each chain starts from accumulators of its own: equal ones could be computed once. The operands are small numbers of
// either format, other ones in each lane.
extern "C" __global__ void __launch_bounds__(NUM_WARPS * 32)
    mma_sync(WarpSpan* spans, unsigned* sink, void*, long long, int repeats) {
  const unsigned lane = threadIdx.x % 32;
  unsigned a[4], b[2];
#pragma unroll
  for (unsigned word = 0; word < 4; ++word) a[word] = 0x20002000u + 0x00130007u * lane + word;
#pragma unroll
  for (unsigned word = 0; word < 2; ++word) b[word] = 0xa0002000u + 0x00050011u * lane + word;
  float sum[CHAINS][4];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[chain][i] = static_cast<float>(repeats + 4 * chain + i);
  }

  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) {
#pragma unroll
      for (int chain = 0; chain < CHAINS; ++chain) multiply_add<DTYPE>(sum[chain], a, b[0], b[1]);
    }
  }
  report(spans, start, read_clock());

  float total = 0;
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
#pragma unroll
    for (int i = 0; i < 4; ++i) total += sum[chain][i];
  }
  keep(sink, __float_as_uint(total), repeats);
}
