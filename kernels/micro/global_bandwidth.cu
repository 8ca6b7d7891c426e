// Bandwidth of L2 and DRAM: all SMs stream through `memory`, past L1. Timed by the host: the WarpSpans are only those of
// the signature.
//
// Read: every byte is loaded once a pass. Copy: the first half is written to the second, so that half of the bytes that
// count are read and half are written. What fits into L2 stays there from one pass to the next; of many times its size
// nothing does.

/* tilescope-kernel
{
  "name": "global_bandwidth",
  "role": "micro",
  "title": "Bandwidth of L2 and DRAM: all SMs read or copy",
  "entry": "global_bandwidth",
  "dtypes": ["fp16"],
  "parameters": [
    {"name": "OPERATION", "values": ["read", "copy"], "default": "read",
     "help": "read: loads alone; copy: loads and stores of as many bytes."},
    {"name": "NUM_WARPS", "values": [16], "default": 16,
     "help": "Warps of a block."},
    {"name": "BLOCKS_PER_SM", "values": [1, 2], "default": 2,
     "help": "Blocks of the grid for each SM: 1 is enough for L2, DRAM needs more bytes under way."},
    {"name": "UNROLL", "values": [4, 8], "default": 8,
     "help": "Loads of 16 bytes that a thread has under way at once."}
  ],
  "constraints": [],
  "grid": ["SM_COUNT * BLOCKS_PER_SM", "1", "1"],
  "threads": "NUM_WARPS * 32",
  "dynamic_shared_bytes": "0",
  "arguments": [
    {"type": "pointer", "value": "scratch", "bytes": "16 * NUM_WARPS * SM_COUNT * BLOCKS_PER_SM"},
    {"type": "pointer", "value": "scratch", "bytes": "128 * NUM_WARPS"},
    {"type": "pointer", "value": "scratch", "bytes": "16777216"},
    {"type": "int64", "value": "16777216"},
    {"type": "int32", "value": "16"}
  ]
}
*/

#include "micro/stopwatch.cuh"

enum class Operation { read, copy };
constexpr bool copies = Operation::OPERATION == Operation::copy;
constexpr int threads = NUM_WARPS * 32;

__device__ inline uint4 load(const uint4* address) {
  uint4 value;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(address)
               : "memory");
  return value;
}

__device__ inline void store(uint4* address, uint4 value) {
  asm volatile("st.global.cg.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(value.x), "r"(value.y), "r"(value.z),
               "r"(value.w)
               : "memory");
}

// A thread's next UNROLL packets are a block's width apart, and all are loaded before one is used.
__device__ inline unsigned stream(uint4* source, uint4* destination) {
  uint4 packet[UNROLL];
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) packet[i] = load(source + i * threads);
  unsigned all = 0;
#pragma unroll
  for (int i = 0; i < UNROLL; ++i) {
    if constexpr (copies) {
      store(destination + i * threads, packet[i]);
    } else {
      all ^= packet[i].x ^ packet[i].y ^ packet[i].z ^ packet[i].w;
    }
  }
  return all;
}

// `bytes` is a multiple of what a block takes at once, twice that of a copy.
extern "C" __global__ void __launch_bounds__(NUM_WARPS * 32)
    global_bandwidth(WarpSpan* spans, unsigned* sink, void* memory, long long bytes, int repeats) {
  const unsigned long long start = start_together();
  const long long packets = bytes / (copies ? 2 : 1) / static_cast<long long>(sizeof(uint4));
  uint4* source = static_cast<uint4*>(memory);
  uint4* destination = source + packets;
  const long long chunk = threads * UNROLL;
  unsigned all = 0;
#pragma unroll 1
  for (int pass = 0; pass < repeats; ++pass) {
#pragma unroll 1
    for (long long first = blockIdx.x * chunk; first < packets; first += gridDim.x * chunk) {
      all ^= stream(source + first + threadIdx.x, destination + first + threadIdx.x);
    }
  }
  report(spans, start, read_clock());
  keep(sink, all, repeats);
}
