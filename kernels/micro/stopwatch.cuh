#pragma once

// What the microbenchmarks share. Each has this signature, so that one runner launches them all:
//   kernel(WarpSpan* spans, unsigned* sink, void* memory, long long bytes, int repeats)
//     spans    one a warp of the grid: when it began and ended, in clocks of its SM
//     sink     one word a thread of a block, which nothing is ever written to: see keep()
//     memory   `bytes` bytes of global memory for the kernels that read some, null for the others
//     repeats  of the timed loop, whose body is UNROLL times as long as it is written
//
// A figure is a difference: the kernel runs with few and with many repeats, and the clocks between the two are divided by
// the work between them. Reading the clock, the first misses of the instruction cache and what is still under way at the
// end are in both runs and fall out; the loop's own counter and branch (3 instructions a body) do not. They hide behind
// the instructions of a dependent chain, and are 3 issue slots beside CHAINS * UNROLL instructions under load.

struct WarpSpan {
  unsigned long long start;
  unsigned long long end;
};

// Volatile and a fence for the compiler: no load, store or other volatile instruction crosses it.
__device__ inline unsigned long long read_clock() {
  unsigned long long count;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(count)::"memory");
  return count;
}

// The warps of a block begin together: from the first start to the last end is the time of the block.
__device__ inline unsigned long long start_together() {
  __syncthreads();
  return read_clock();
}

__device__ inline void report(WarpSpan* spans, unsigned long long start, unsigned long long end) {
  if (threadIdx.x % 32 == 0) spans[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {start, end};
}

// Makes a result needed without writing it: no compiler can know that no run has a negative number of repeats.
__device__ inline void keep(unsigned* sink, unsigned result, int repeats) {
  if (repeats < 0) sink[threadIdx.x] = result;
}
