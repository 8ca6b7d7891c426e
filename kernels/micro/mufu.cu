// Latency and rate of the special function unit: MUFU.EX2, the power of two that the exponential of a softmax comes to.
// With .ftz, because without it the compiler scales denormal arguments with further instructions.

/* tilescope-kernel
{
  "name": "mufu",
  "role": "micro",
  "title": "MUFU.EX2: latency of a dependent chain, lanes per clock",
  "entry": "mufu",
  "dtypes": ["fp16"],
  "parameters": [
    {"name": "NUM_WARPS", "values": [1, 4, 8, 16, 32], "default": 32,
     "help": "Warps of the one block: 1 for latency, 32 fill the four quarters of an SM."},
    {"name": "CHAINS", "values": [1, 4], "default": 4,
     "help": "Independent chains of dependent instructions in each thread: 1 for latency."},
    {"name": "UNROLL", "values": [16, 64], "default": 64,
     "help": "Instructions of each chain in the body of the timed loop."}
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

// Each chain starts from a value of its own: equal ones could be computed once. After a few steps all are infinite, which
// takes the unit as long as any other number.
extern "C" __global__ void __launch_bounds__(NUM_WARPS * 32)
    mufu(WarpSpan* spans, unsigned* sink, void*, long long, int repeats) {
  float value[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) value[chain] = -static_cast<float>(repeats + chain);

  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) {
#pragma unroll
      for (int chain = 0; chain < CHAINS; ++chain) {
        asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value[chain]));
      }
    }
  }
  report(spans, start, read_clock());

  float sum = 0;
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) sum += value[chain];
  keep(sink, __float_as_uint(sum), repeats);
}
