// Latency of a global load by where it is answered: one thread follows a ring of pointers, one a line of 128 bytes, in
// a scattered order (chase_ring.cu). A ring smaller than L1 read through it (LOAD = ca) gives an L1 hit once it
// has been followed around; past L1 (LOAD = cg) a ring that L2 holds gives L2, one of many times L2 gives DRAM, the
// misses of the address translation included.

/* tilescope-kernel
{
  "name": "global_latency",
  "role": "micro",
  "title": "Latency of a global load: pointer chase through L1, L2 or DRAM",
  "entry": "global_latency",
  "dtypes": ["fp16"],
  "parameters": [
    {"name": "LOAD", "values": ["ca", "cg"], "default": "cg",
     "help": "Where the load is cached: ca in L1 and L2, cg in L2 alone."},
    {"name": "UNROLL", "values": [16], "default": 16,
     "help": "Loads in the body of the timed loop."}
  ],
  "constraints": [],
  "grid": ["1", "1", "1"],
  "threads": "1",
  "dynamic_shared_bytes": "0",
  "arguments": [
    {"type": "pointer", "value": "scratch", "bytes": "16"},
    {"type": "pointer", "value": "scratch", "bytes": "4"},
    {"type": "pointer", "value": "scratch", "bytes": "2097152"},
    {"type": "int64", "value": "2097152"},
    {"type": "int32", "value": "16"}
  ]
}
*/

#include "micro/stopwatch.cuh"

enum class Cache { ca, cg };

__device__ inline unsigned long long follow(unsigned long long address) {
  unsigned long long next;
  if constexpr (Cache::LOAD == Cache::ca) {
    asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(next) : "l"(address) : "memory");
  } else {
    asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(address) : "memory");
  }
  return next;
}

extern "C" __global__ void global_latency(WarpSpan* spans, unsigned* sink, void* memory, long long, int repeats) {
  unsigned long long address = reinterpret_cast<unsigned long long>(memory);
  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) address = follow(address);
  }
  report(spans, start, read_clock());
  keep(sink, static_cast<unsigned>(address), repeats);
}
