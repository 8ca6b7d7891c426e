// Latency and rate of HFMA2, which multiplies and adds two FP16 numbers in each lane.

/* tilescope-kernel
{
  "name": "hfma2",
  "role": "micro",
  "title": "HFMA2: latency of a dependent chain, lanes per clock",
  "entry": "hfma2",
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

constexpr unsigned half_and_half = 0x38003800u;  // 0.5 twice
constexpr unsigned one_and_one = 0x3c003c00u;    // 1.0 twice

// Each chain starts from a value of its own: equal ones could be computed once. The thread's number in the low bits keeps
// the operands unknown to the compiler, and the chains converge.
extern "C" __global__ void __launch_bounds__(NUM_WARPS * 32)
    hfma2(WarpSpan* spans, unsigned* sink, void*, long long, int repeats) {
  const unsigned factor = half_and_half + threadIdx.x % 32;
  const unsigned addend = one_and_one + threadIdx.x % 32;
  unsigned value[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) value[chain] = one_and_one + (repeats + chain) % 32;

  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) {
#pragma unroll
      for (int chain = 0; chain < CHAINS; ++chain) {
        asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(value[chain]) : "r"(factor), "r"(addend));
      }
    }
  }
  report(spans, start, read_clock());

  unsigned all = 0;
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) all ^= value[chain];
  keep(sink, all, repeats);
}
