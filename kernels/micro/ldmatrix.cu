// Latency of ldmatrix, and what one costs a busy SM, free of conflicts: the rows of a matrix lie behind one another.

/* tilescope-kernel
{
  "name": "ldmatrix",
  "role": "micro",
  "title": "ldmatrix: latency and clocks per warp instruction, by matrices, plain and transposed",
  "entry": "ldmatrix",
  "dtypes": ["fp16"],
  "parameters": [
    {"name": "MATRICES", "values": [1, 2, 4], "default": 4,
     "help": "8 x 8 matrices of 16-bit elements that one instruction loads: ldmatrix .x1, .x2 or .x4."},
    {"name": "TRANSPOSED", "values": [0, 1], "default": 0,
     "help": "1: ldmatrix .trans."},
    {"name": "NUM_WARPS", "values": [1, 32], "default": 32,
     "help": "Warps of the one block: 1 for latency, 32 keep the load unit of the SM busy."},
    {"name": "CHAINS", "values": [1, 4], "default": 4,
     "help": "Independent chains of dependent loads in each thread: 1 for latency."},
    {"name": "UNROLL", "values": [16], "default": 16,
     "help": "Loads of each chain in the body of the timed loop."}
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
#include "device/shared_address.cuh"

constexpr int matrix_elements = 64;
constexpr int row_elements = 8;

#define LDMATRIX(COUNT) "ldmatrix.sync.aligned.m8n8." COUNT TRANSPOSED_TEXT ".shared.b16 "
#if TRANSPOSED
#define TRANSPOSED_TEXT ".trans"
#else
#define TRANSPOSED_TEXT ""
#endif

// Loads the matrices and returns the first word that a lane gets of them.
__device__ inline unsigned load_matrices(unsigned address) {
  unsigned word[4];
  if constexpr (MATRICES == 1) {
    asm volatile(LDMATRIX("x1") "{%0}, [%1];" : "=r"(word[0]) : "r"(address));
  } else if constexpr (MATRICES == 2) {
    asm volatile(LDMATRIX("x2") "{%0, %1}, [%2];" : "=r"(word[0]), "=r"(word[1]) : "r"(address));
  } else {
    asm volatile(LDMATRIX("x4") "{%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(address));
  }
  return word[0];
}

// Puts a lane's address where ldmatrix takes the lane's first word from: elements 2 (l % 4) and the next of row l / 4 of
// the first matrix, and with .trans the same of its column. The 32 lanes fill that matrix.
__device__ inline void store_where_loaded(unsigned short* matrix, int lane, unsigned address) {
  const int line = lane / 4, place = lane % 4 * 2;
  const int first = TRANSPOSED ? place * row_elements + line : line * row_elements + place;
  const int second = TRANSPOSED ? first + row_elements : first + 1;
  matrix[first] = static_cast<unsigned short>(address);
  matrix[second] = static_cast<unsigned short>(address >> 16);
}

extern "C" __global__ void __launch_bounds__(NUM_WARPS * 32)
    ldmatrix(WarpSpan* spans, unsigned* sink, void*, long long, int repeats) {
  __shared__ __align__(128) unsigned short tile[CHAINS][MATRICES * matrix_elements];
  const int lane = threadIdx.x % 32;
  // What a chain loads is the address of the lane's row, where it loads next; each chain has matrices of its own.
  unsigned address[CHAINS];
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
    // Only the first 8 * MATRICES lanes name a row; the others repeat theirs.
    address[chain] = shared_address(tile[chain] + lane % (row_elements * MATRICES) * row_elements);
    for (int i = threadIdx.x; i < MATRICES * matrix_elements; i += NUM_WARPS * 32) tile[chain][i] = 0;
  }
  __syncthreads();  // the addresses lie over the zeros
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) {
    if (threadIdx.x < 32) store_where_loaded(tile[chain], lane, address[chain]);
  }

  const unsigned long long start = start_together();
#pragma unroll 1
  for (int i = 0; i < repeats; ++i) {
#pragma unroll
    for (int j = 0; j < UNROLL; ++j) {
#pragma unroll
      for (int chain = 0; chain < CHAINS; ++chain) address[chain] = load_matrices(address[chain]);
    }
  }
  report(spans, start, read_clock());

  unsigned all = 0;
#pragma unroll
  for (int chain = 0; chain < CHAINS; ++chain) all ^= address[chain];
  keep(sink, all, repeats);
}
