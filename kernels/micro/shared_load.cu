// Latency of shared loads, and what one costs a busy SM, by width and degree of bank conflict.
//
// A warp's load of 4 bytes is one pass over the 32 banks, one of 8 bytes two passes of half a warp, one of 16 bytes four
// passes of a quarter. In each pass WAYS lanes want other rows of one bank, so that it takes WAYS wavefronts.

/* tilescope-kernel
{
  "name": "shared_load",
  "role": "micro",
  "title": "Shared loads: latency and clocks per warp instruction, by width and bank conflict",
  "entry": "shared_load",
  "dtypes": ["fp16"],
  "parameters": [
    {"name": "WIDTH_BYTES", "values": [4, 8, 16], "default": 4,
     "help": "Bytes that a lane loads."},
    {"name": "WAYS", "values": [1, 2, 4, 8, 16, 32], "default": 1,
     "help": "Lanes of a pass that want different words of one bank: 1 is free of conflicts."},
    {"name": "NUM_WARPS", "values": [1, 32], "default": 32,
     "help": "Warps of the one block: 1 for latency, 32 keep the load unit of the SM busy."},
    {"name": "CHAINS", "values": [1, 4], "default": 4,
     "help": "Independent chains of dependent loads in each thread: 1 for latency."},
    {"name": "UNROLL", "values": [16], "default": 16,
     "help": "Loads of each chain in the body of the timed loop."}
  ],
  "constraints": [
    {"expression": "WAYS * WIDTH_BYTES <= 128",
     "text": "a pass has 128 / WIDTH_BYTES lanes, and no more ways of conflict than lanes"}
  ],
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
#include "device/shared_address.cuh"

constexpr int pass_lanes = 128 / WIDTH_BYTES;
constexpr int row_bytes = 128;  // a word of each bank
constexpr int cell_words = WIDTH_BYTES / 4;
// The passes of a load lie below one another, each in WAYS rows.
constexpr int chain_bytes = 32 / pass_lanes * WAYS * row_bytes;

// Where a lane loads: neighbours in groups of WAYS share their banks and have rows of their own.
__device__ inline int cell_offset(int lane) {
  const int pass = lane / pass_lanes, place = lane % pass_lanes;
  return (pass * WAYS + place % WAYS) * row_bytes + place / WAYS * WIDTH_BYTES;
}

// Follows the pointer in a cell. Volatile, so that a load of which one word is used is not made narrower.
__device__ inline unsigned follow(unsigned address) {
  unsigned word[4];
  if constexpr (WIDTH_BYTES == 4) {
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(word[0]) : "r"(address));
  } else if constexpr (WIDTH_BYTES == 8) {
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(word[0]), "=r"(word[1]) : "r"(address));
  } else {
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address));
  }
  return word[0];
}

extern "C" __global__ void __launch_bounds__(NUM_WARPS * 32)
    shared_load(WarpSpan* spans, unsigned* sink, void*, long long, int repeats) {
  __shared__ __align__(128) unsigned char cells[CHAINS][chain_bytes];
  // A cell holds its own address: what a chain loads is where it loads next, and each chain has cells of its own.
  unsigned address[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
    unsigned char* cell = cells[chain] + cell_offset(threadIdx.x % 32);
    address[chain] = shared_address(cell);
    if (threadIdx.x < 32) {
#pragma unroll
      for (int word = 0; word < cell_words; ++word) reinterpret_cast<unsigned*>(cell)[word] = address[chain];
    }
  }

  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) {
#pragma unroll
      for (int chain = 0; chain < CHAINS; ++chain) address[chain] = follow(address[chain]);
    }
  }
  report(spans, start, read_clock());

  unsigned all = 0;
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) all ^= address[chain];
  keep(sink, all, repeats);
}
