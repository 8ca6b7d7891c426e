// cp.async from global memory that lies in L2: the clocks from issuing a copy to having waited for it, and the bytes that
// one SM alone takes in.
//
// The block walks through `memory`, a power of two of bytes that is more than L1 holds, so that L1 never answers: 16
// bytes go past it (.cg), 4 and 8 through it (.ca), but no line is met again before it has been displaced.

/* tilescope-kernel
{
  "name": "cp_async",
  "role": "micro",
  "title": "cp.async from L2: latency of issue and wait, bytes per clock",
  "entry": "cp_async",
  "dtypes": ["fp16"],
  "parameters": [
    {"name": "WIDTH_BYTES", "values": [4, 8, 16], "default": 16,
     "help": "Bytes that a lane copies."},
    {"name": "NUM_WARPS", "values": [1, 8], "default": 8,
     "help": "Warps of the one block: 1 for latency."},
    {"name": "COPIES", "values": [1, 4, 8, 16], "default": 4,
     "help": "Copies of a thread in one group: 1 for latency, else 64 bytes of them."},
    {"name": "IN_FLIGHT", "values": [0, 1], "default": 1,
     "help": "Groups that may still be on their way when the next is issued: 0 for latency."},
    {"name": "UNROLL", "values": [8], "default": 8,
     "help": "Groups in the body of the timed loop."}
  ],
  "constraints": [
    {"expression": "(IN_FLIGHT + 1) * COPIES * NUM_WARPS * 32 * WIDTH_BYTES <= 32768",
     "text": "what is under way lands in 32 KiB of static shared memory"}
  ],
  "grid": ["1", "1", "1"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "0",
  "arguments": [
    {"type": "pointer", "value": "scratch", "bytes": "16 * NUM_WARPS"},
    {"type": "pointer", "value": "scratch", "bytes": "128 * NUM_WARPS"},
    {"type": "pointer", "value": "scratch", "bytes": "2097152"},
    {"type": "int64", "value": "2097152"},
    {"type": "int32", "value": "16"}
  ]
}
*/

#include "micro/stopwatch.cuh"
#include "device/async_copy.cuh"
#include "device/shared_address.cuh"

__device__ inline void copy(unsigned destination, const void* source) {
  if constexpr (WIDTH_BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(destination), "l"(source) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(destination), "l"(source), "n"(WIDTH_BYTES)
                 : "memory");
  }
}

extern "C" __global__ void __launch_bounds__(NUM_WARPS * 32)
    cp_async(WarpSpan* spans, unsigned*, void* memory, long long bytes, int repeats) {
  // Every copy that may be on its way has a place of its own, as the stages of a kernel have: copies that land where
  // others still will have been seen to arrive at more bytes a clock than an SM can take in. Nobody reads them.
  constexpr int places = (IN_FLIGHT + 1) * COPIES;
  constexpr int place_bytes = NUM_WARPS * 32 * WIDTH_BYTES;
  __shared__ __align__(16) unsigned char landing[places * place_bytes];
  const unsigned destination = shared_address(landing + threadIdx.x * WIDTH_BYTES);
  const unsigned mask = static_cast<unsigned>(bytes - 1);
  unsigned offset = threadIdx.x * WIDTH_BYTES;

  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) {
#pragma unroll
      for (int k = 0; k < COPIES; ++k) {
        const int place = (j * COPIES + k) % places;
        copy(destination + place * place_bytes, static_cast<const unsigned char*>(memory) + offset);
        offset = (offset + place_bytes) & mask;
      }
      commit_copies();
      wait_for_copies<IN_FLIGHT>();
    }
  }
  wait_for_copies<0>();
  report(spans, start, read_clock());
}
